import { linkSites } from '../../../shared/hosts.ts';
import { decoded } from '../../../shared/web-url.ts';
import { pageLink } from '../parsed-link.ts';
import { partsOf, type WebPage } from '../web-page.ts';
import type { Site } from './site.ts';

const USER = /^[a-z\d_-]{1,100}$/;
const OWN: ReadonlySet<string> = new Set([
  'charts',
  'community-guidelines',
  'connect',
  'creators',
  'dashboard',
  'developers',
  'discover',
  'download',
  'explore',
  'feed',
  'for-artists',
  'getstarted',
  'go',
  'groups',
  'imprint',
  'jobs',
  'library',
  'login',
  'logout',
  'messages',
  'mobile',
  'notifications',
  'oauth',
  'oembed',
  'pages',
  'people',
  'player',
  'popular',
  'premium',
  'press',
  'pro',
  'search',
  'settings',
  'signin',
  'signup',
  'stations',
  'stream',
  'tags',
  'terms-of-use',
  'trending',
  'upload',
  'you',
]);

/** `/user` and pages below it, also as `/#!/user`. */
export const audioshare: Site = {
  source: 'audioshare',
  hosts: linkSites.audioshare,
  read(page) {
    const user = (page.segments[0] ?? userInFragment(page))?.toLowerCase();
    if (user === undefined || !USER.test(user) || OWN.has(user)) return null;
    return pageLink('audioshare', user, `${linkSites.audioshare.origin}/${user}`);
  },
};

/** Old URLs have the path after `#!`. */
function userInFragment({ fragment }: WebPage): string | undefined {
  if (!fragment.startsWith('#!')) return undefined;
  const [path = ''] = fragment.slice(2).split('?', 1);
  return partsOf(path).map(decoded)[0];
}
