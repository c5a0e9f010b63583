import { linkSites } from '../../../shared/hosts.ts';
import { pageLink } from '../parsed-link.ts';
import type { Site } from './site.ts';

/** A dot at the end belongs to the sentence. */
const USER = /^[a-z\d._]{0,29}[a-z\d_]$/;
const OWN: ReadonlySet<string> = new Set([
  'about',
  'accounts',
  'api',
  'ar',
  'blog',
  'challenge',
  'create',
  'developer',
  'direct',
  'directory',
  'download',
  'emails',
  'explore',
  'graphql',
  'guide',
  'help',
  'highlights',
  'legal',
  'locations',
  'login',
  'nametag',
  'oauth',
  'p',
  'popular',
  'press',
  'privacy',
  'push',
  'reel',
  'reels',
  's',
  'session',
  'share',
  'static',
  'stories',
  'tags',
  'terms',
  'topics',
  'tv',
  'web',
]);
/** Segments before a user. */
const BEFORE_USER: ReadonlySet<string> = new Set(['stories', '_u']);

/** `/user` and pages below it, `/stories/user`. */
export const photoshare: Site = {
  source: 'photoshare',
  hosts: linkSites.photoshare,
  read({ segments: [first = '', second = ''] }) {
    const user = (BEFORE_USER.has(first) ? second : first).replace(/^@/, '').toLowerCase();
    if (!USER.test(user) || OWN.has(user)) return null;
    return pageLink('photoshare', user, `${linkSites.photoshare.origin}/${user}`);
  },
};
