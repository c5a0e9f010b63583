import { catalogArtist } from '../../contracts/catalog/artist.ts';
import type { Row } from '../../contracts/contract.ts';
import { clusterAuthorityIdsV1 } from '../../contracts/mirror/cluster-authority-ids-v1.ts';
import { artistWebPresence } from '../../contracts/seen/artist-web-presence.ts';
import type { MirrorRows, SubjectRef } from '../../engine/rows.ts';
import { linkSites } from '../shared/hosts.ts';
import { parseLink } from './links/parse-link.ts';
import type { PageSource, ParsedLink } from './links/parsed-link.ts';

export type PageScheme = PageSource | 'website';

/** An artist's page on a site, or a website of the artist's own. */
export interface ArtistPage {
  readonly scheme: PageScheme;
  /** The same for every URL of the page. */
  readonly id: string;
  readonly url: string;
}

export type AuthorityId = Row<typeof clusterAuthorityIdsV1>;

/** The known pages of an artist, by the party that lists them. */
export interface KnownPages {
  readonly authority: readonly { readonly id: AuthorityId; readonly page: ArtistPage | null }[];
  /** By the catalogue. */
  readonly listed: readonly ArtistPage[];
  /** By the artist. */
  readonly declared: readonly ArtistPage[];
}

/** The lookup key of a page. */
export const pageKey = ({ scheme, id }: Pick<ArtistPage, 'scheme' | 'id'>): string => `${scheme}:${id}`;

/** The page as readable text that still works as a link; on the streaming site the bare id. */
export const pageText = ({ scheme, id, url }: ArtistPage): string =>
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

const pagesAt = (urls: readonly (string | null | undefined)[]): ArtistPage[] =>
  urls.flatMap((url) => (url ? (pageOf(parseLink(url)) ?? []) : []));

/** Null if the link is not the page of one artist; only the front page of a website counts. */
function pageOf(link: ParsedLink): ArtistPage | null {
  if (link.kind === 'page') return { scheme: link.source, id: link.id, url: link.canonical_url };
  if (link.kind === 'website' && link.is_front_page)
    return { scheme: link.source, id: link.id, url: link.canonical_url };
  return null;
}

const { storefront, audioshare, photoshare, streaming, videoshare } = linkSites;
/** One path segment; on the video-sharing site with the prefix of its name space. */
const HANDLE = /^(?:(?:c|channel|user)\/)?[^\s/?#%\\]+$/;
const CHANNEL_ID = /^UC[\w-]{22}$/;

/** The page URL of a bare id or handle. */
const urlOf: Readonly<Record<PageSource, (handle: string) => string>> = {
  storefront: (handle) => `https://${handle}.${storefront.domains[0]}`,
  audioshare: (handle) => `${audioshare.origin}/${handle}`,
  photoshare: (handle) => `${photoshare.origin}/${handle}`,
  streaming: (handle) => `${streaming.origin}/artist/${handle}`,
  videoshare: (handle) => `${videoshare.origin}/${CHANNEL_ID.test(handle) ? 'channel/' : ''}${handle}`,
};

const isPageScheme = (scheme: AuthorityId['scheme']): scheme is PageScheme =>
  scheme === 'website' || scheme in urlOf;

/** Reads the page from the URL, else from the value. */
function authorityPage({ scheme, value, url }: AuthorityId): ArtistPage | null {
  if (!isPageScheme(scheme)) return null;
  const link = url === null ? null : parseLink(url);
  if (link !== null && link.kind !== 'none') return pageOf(link);
  const own = pageOf(parseLink(value));
  if (scheme === 'website' || own?.scheme === scheme) return own;
  const page = HANDLE.test(value) ? pageOf(parseLink(urlOf[scheme](value))) : null;
  if (page?.scheme === scheme) return page;
  // A storefront may use the artist's own domain. Elsewhere a dot in a handle does not make it a host.
  return scheme === 'storefront' ? own : null;
}
