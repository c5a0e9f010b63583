import { linkSites } from '../../../shared/hosts.ts';
import { pageLink } from '../parsed-link.ts';
import type { Site } from './site.ts';

const LABEL = /^[a-z\d-]+$/;
/** Subdomains of the storefront itself. */
const OWN: ReadonlySet<string> = new Set([
  'api',
  'blog',
  'daily',
  'get',
  'help',
  'm',
  'mobile',
  'status',
  'support',
  'updates',
  'www',
]);
const [domain] = linkSites.storefront.domains;

/** Each artist has a subdomain; albums and tracks below it are the artist's. */
export const storefront: Site = {
  source: 'storefront',
  hosts: linkSites.storefront,
  read({ subdomain }) {
    const id = subdomain.replace(/^www\./, '');
    const isArtist = LABEL.test(id) && !id.startsWith('xn--') && !OWN.has(id);
    return isArtist ? pageLink('storefront', id, `https://${id}.${domain}`) : null;
  },
};
