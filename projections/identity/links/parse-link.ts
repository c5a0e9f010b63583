import { forwardingHosts, mediaHosts, sharedDomains } from '../../hosts.ts';
import { namesInHost, namesInPath } from './names-in-address.ts';
import { deadLink, type ParsedLink, type WebsiteLink } from './parsed-link.ts';
import { type Page, readPage } from './read-page.ts';
import { sites } from './sites/index.ts';
import type { Site } from './sites/site.ts';
import { isStreamingUri, readStreamingUri } from './sites/streaming.ts';
import { trimPasted } from './trim-pasted.ts';

const MAX_LENGTH = 2_048;

const siteOfDomain: ReadonlyMap<string, Site> = new Map(
  sites.flatMap((site) => site.hosts.domains.map((domain): [string, Site] => [domain, site])),
);

/**
 * What a pasted link says by its address alone: nothing is fetched, no host is looked up. Accepts what people paste:
 * without a scheme, in quotes or brackets, with the end of a sentence behind it, percent-encoded, IDN. A known site is
 * recognised by its registrable domain, and only where the host is written as it is read. Never throws.
 *
 * @param text at most 2,048 characters, else it is no link
 */
export function parseLink(text: string): ParsedLink {
  if (text.length > MAX_LENGTH) {
    return deadLink(null, `The link is longer than ${MAX_LENGTH} characters.`);
  }
  const pasted = trimPasted(text);
  if (isStreamingUri(pasted.text)) {
    return readStreamingUri(pasted.text) ?? deadLink('streaming', NO_ARTIST);
  }
  const page = readPage(pasted);
  if (page === null) return deadLink(null, NO_ADDRESS);
  return isForwarding(page.host) ? deadLink(null, FORWARDS) : linkOf(page);
}

/** Whether the text was an address of the web at all, if only of a page that says nothing of an artist. */
export const isAddress = ({ note }: ParsedLink): boolean => note !== NO_ADDRESS;

const NO_ADDRESS = 'The text is no plain address of the web.';
const NO_ARTIST = 'The link leads to no artist of the site: a release, a label, a track or another page.';
const FORWARDS = 'A short link does not say where it leads, and links are never fetched.';
const NO_HANDLE = 'The site is not known, and the link holds no handle.';
const HANDLE_TAKEN = 'The site is not known; the handle in the link was taken for a name.';

function isForwarding(host: string): boolean {
  let above = host;
  while (!forwardingHosts.has(above)) {
    const dot = above.indexOf('.');
    if (dot < 0) return false;
    above = above.slice(dot + 1);
  }
  return true;
}

function linkOf(page: Page): ParsedLink {
  const site = siteOfDomain.get(page.domain);
  const isMedia = mediaHosts.some((host) => host.test(page.host));
  if (site !== undefined) {
    const link = !isMedia && site.hosts.subdomains.test(page.subdomain) ? site.read(page) : null;
    return link ?? deadLink(site.source, NO_ARTIST);
  }
  if (isMedia) return deadLink(null, 'The link leads to audio or to an image, not to a page.');
  return sharedDomains.has(page.domain) ? onSharedSite(page) : website(page);
}

function onSharedSite(page: Page): ParsedLink {
  const names = namesInPath(page);
  const [handle] = names;
  if (handle === undefined) return deadLink(null, NO_HANDLE);
  return { kind: 'name', source: null, id: handle, canonical_url: null, names, note: HANDLE_TAKEN };
}

function website(page: Page): WebsiteLink {
  const host = withoutWww(page);
  const inPath = namesInPath(page);
  const names = inPath.length > 0 ? inPath : namesInHost(page);
  return {
    kind: 'website',
    source: 'website',
    id: host,
    canonical_url: `https://${host}`,
    is_front_page: page.segments.length === 0,
    names,
    note: names.length === 0 ? NO_HANDLE : HANDLE_TAKEN,
  };
}

/** `www.com` is a domain of its own. */
function withoutWww({ host, domain }: Page): string {
  let own = host;
  while (own !== domain && own.startsWith('www.')) own = own.slice(4);
  return own;
}
