import { linkSites } from '../../../shared/hosts.ts';
import { pageLink } from '../parsed-link.ts';
import type { Site } from './site.ts';

/** A segment of digits is a video. */
const USER = /^(?!\d+$)[a-z\d_-]{1,100}$/;
const OWN: ReadonlySet<string> = new Set([
  'about',
  'album',
  'albums',
  'api',
  'blog',
  'categories',
  'channels',
  'couchmode',
  'create',
  'enterprise',
  'event',
  'explore',
  'features',
  'forgot_password',
  'groups',
  'help',
  'home',
  'join',
  'jobs',
  'log_in',
  'manage',
  'ondemand',
  'pricing',
  'privacy',
  'search',
  'settings',
  'showcase',
  'solutions',
  'stock',
  'store',
  'tag',
  'terms',
  'upgrade',
  'upload',
  'user',
  'videos',
  'watch',
]);
const [domain] = linkSites.filmshare.domains;

/** `/user` and pages below it. */
export const filmshare: Site = {
  source: 'videoshare',
  hosts: linkSites.filmshare,
  read({ segments: [first = ''] }) {
    const user = first.toLowerCase();
    if (!USER.test(user) || OWN.has(user)) return null;
    return pageLink('videoshare', `${domain}/${user}`, `${linkSites.filmshare.origin}/${user}`);
  },
};
