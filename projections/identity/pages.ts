import { linkSites } from '../hosts.ts';
import type { MirrorRows, SubjectRef } from '../rows.ts';
import { catalogArtist } from '../sources/catalog/artist.ts';
import type { Row } from '../sources/contract.ts';
import { clusterAuthorityIdsV1 } from '../sources/mirror/cluster-authority-ids-v1.ts';
import { artistWebPresence } from '../sources/seen/artist-web-presence.ts';
import { parseLink } from './links/parse-link.ts';
import type { PageSource, ParsedLink } from './links/parsed-link.ts';

export type PageScheme = PageSource | 'website';

/** An artist's page on a site, or a website of the artist's own. */
export interface Page {
  readonly scheme: PageScheme;
  /** The same for every address of the page. */
  readonly id: string;
  readonly url: string;
}

export type AuthorityId = Row<typeof clusterAuthorityIdsV1>;

/** The pages that are said to be an artist's, by who says so. */
export interface KnownPages {
  readonly authority: readonly { readonly id: AuthorityId; readonly page: Page | null }[];
  /** In the catalogue. */
  readonly listed: readonly Page[];
  /** By the artist. */
  readonly declared: readonly Page[];
}

/** Under which a page is looked up. */
export const pageAddress = ({ scheme, id }: Pick<Page, 'scheme' | 'id'>): string => `${scheme}:${id}`;

/** The page as text that a person can read, and that is a link when it is pasted; of the streaming site the bare id. */
export const pageText = ({ scheme, id, url }: Page): string =>
  scheme === 'streaming' ? id : url.replace(/^https:\/\/(?:www\.)?/, '');

export function knownPages(
  catalog: SubjectRef | null,
  cluster: SubjectRef | null,
  rows: MirrorRows,
): KnownPages {
  const presence = rows.one(artistWebPresence, cluster);
  return {
    authority: rows.all(clusterAuthorityIdsV1, cluster).map((id) => ({ id, page: authorityPage(id) })),
    listed: pagesAt(rows.one(catalogArtist, catalog)?.urls ?? []),
    declared: pagesAt([
      presence?.storefront_url,
      presence?.audioshare_url,
      presence?.photoshare_url,
      presence?.streaming_url,
      presence?.videoshare_url,
      presence?.website_url,
    ]),
  };
}

const pagesAt = (urls: readonly (string | null | undefined)[]): Page[] =>
  urls.flatMap((url) => (url ? (pageOf(parseLink(url)) ?? []) : []));

/** Null where the link leads to no page of one artist; a page within a website may be one of many people's. */
function pageOf(link: ParsedLink): Page | null {
  if (link.kind === 'page') return { scheme: link.source, id: link.id, url: link.canonical_url };
  if (link.kind === 'website' && link.is_front_page)
    return { scheme: link.source, id: link.id, url: link.canonical_url };
  return null;
}

const { storefront, audioshare, photoshare, streaming, videoshare } = linkSites;
/** A part of a path, but for the video-sharing site, where some name spaces have a part of their own. */
const HANDLE = /^(?:(?:c|channel|user)\/)?[^\s/?#%\\]+$/;
const CHANNEL_ID = /^UC[\w-]{22}$/;

/** Where a site keeps the page of whom it knows by a bare id or handle. */
const urlOf: Readonly<Record<PageSource, (handle: string) => string>> = {
  storefront: (handle) => `https://${handle}.${storefront.domains[0]}`,
  audioshare: (handle) => `${audioshare.origin}/${handle}`,
  photoshare: (handle) => `${photoshare.origin}/${handle}`,
  streaming: (handle) => `${streaming.origin}/artist/${handle}`,
  videoshare: (handle) => `${videoshare.origin}/${CHANNEL_ID.test(handle) ? 'channel/' : ''}${handle}`,
};

const isPageScheme = (scheme: AuthorityId['scheme']): scheme is PageScheme =>
  scheme === 'website' || scheme in urlOf;

/** What the address says counts; the value only where there is no address that says anything. */
function authorityPage({ scheme, value, url }: AuthorityId): Page | null {
  if (!isPageScheme(scheme)) return null;
  const link = url === null ? null : parseLink(url);
  if (link !== null && link.kind !== 'none') return pageOf(link);
  const own = pageOf(parseLink(value));
  if (scheme === 'website' || own?.scheme === scheme) return own;
  const page = HANDLE.test(value) ? pageOf(parseLink(urlOf[scheme](value))) : null;
  if (page?.scheme === scheme) return page;
  // A storefront may have a domain of the artist's own. Elsewhere a dot in a handle does not make it a host.
  return scheme === 'storefront' ? own : null;
}
