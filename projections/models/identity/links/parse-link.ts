import { forwardingHosts, mediaHosts, sharedDomains } from '../../shared/hosts.ts';
import { namesInHost, namesInPath } from './names-in-url.ts';
import { deadLink, type ParsedLink, type WebsiteLink } from './parsed-link.ts';
import { sites } from './sites/index.ts';
import type { Site } from './sites/site.ts';
import { isStreamingUri, readStreamingUri } from './sites/streaming.ts';
import { trimPasted } from './trim-pasted.ts';
import { readWebPage, type WebPage } from './web-page.ts';

const MAX_LENGTH = 2_048;

const siteOfDomain: ReadonlyMap<string, Site> = new Map(
  sites.flatMap((site) => site.hosts.domains.map((domain): [string, Site] => [domain, site])),
);

/**
 * Parses a pasted link by its URL alone: it fetches nothing and resolves no host. Accepts links without a scheme, in quotes
 * or brackets, followed by punctuation, percent-encoded or with an IDN. Recognises a site by its registrable domain, and
 * only if the host has no hidden parts. Never throws.
 *
 * @param text of more than 2,048 characters is not a link
 */
export function parseLink(text: string): ParsedLink {
  if (text.length > MAX_LENGTH) {
    return deadLink(null, `The link is longer than ${MAX_LENGTH} characters.`);
  }
  const pasted = trimPasted(text);
  if (isStreamingUri(pasted.text)) {
    return readStreamingUri(pasted.text) ?? deadLink('streaming', NO_ARTIST);
  }
  const page = readWebPage(pasted);
  if (page === null) return deadLink(null, NOT_A_URL);
  return isForwarding(page.host) ? deadLink(null, FORWARDS) : linkOf(page);
}

/** Whether the text was a web URL at all, even of a page without an artist. */
export const isWebUrl = ({ note }: ParsedLink): boolean => note !== NOT_A_URL;

const NOT_A_URL = 'The text is not a plain web address.';
const NO_ARTIST =
  'The link does not lead to an artist of the site but to a release, a label, a track or another page.';
const FORWARDS = 'A short link hides its target, and links are never fetched.';
const NO_HANDLE = 'The site is unknown, and the link contains no handle.';
const HANDLE_TAKEN = 'The site is unknown; the handle in the link was used as a name.';

function isForwarding(host: string): boolean {
  let above = host;
  while (!forwardingHosts.has(above)) {
    const dot = above.indexOf('.');
    if (dot < 0) return false;
    above = above.slice(dot + 1);
  }
  return true;
}

function linkOf(page: WebPage): ParsedLink {
  const site = siteOfDomain.get(page.domain);
  const isMedia = mediaHosts.some((host) => host.test(page.host));
  if (site !== undefined) {
    const link = !isMedia && site.hosts.subdomains.test(page.subdomain) ? site.read(page) : null;
    return link ?? deadLink(site.source, NO_ARTIST);
  }
  if (isMedia) return deadLink(null, 'The link leads to audio or to an image, not to a page.');
  return sharedDomains.has(page.domain) ? onSharedSite(page) : website(page);
}

function onSharedSite(page: WebPage): ParsedLink {
  const names = namesInPath(page);
  const [handle] = names;
  if (handle === undefined) return deadLink(null, NO_HANDLE);
  return { kind: 'name', source: null, id: handle, canonical_url: null, names, note: HANDLE_TAKEN };
}

function website(page: WebPage): WebsiteLink {
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

/** Keeps the host `www.com`, which is itself a domain. */
function withoutWww({ host, domain }: WebPage): string {
  let own = host;
  while (own !== domain && own.startsWith('www.')) own = own.slice(4);
  return own;
}
