import type { LinkSiteName } from '../../hosts.ts';

/** Sites by neutral name. */
export type LinkSource = Exclude<LinkSiteName, 'filmshare'>;
/** Sites that give an artist an id of their own, by which the artist is looked up. */
export type IdSource = 'catalog' | 'mb';
/** Sites where an artist has a page; whose page it is, an index of pages says. */
export type PageSource = 'storefront' | 'audioshare' | 'photoshare' | 'streaming' | 'videoshare';

/** The artist by id: digits without leading zeros (`catalog`), a lower-case UUID (`mb`). */
export interface IdLink {
  readonly kind: 'id';
  readonly source: IdSource;
  readonly id: string;
  readonly canonical_url: string;
  readonly names: readonly [];
  readonly note: null;
}

/**
 * A page of the artist on a site. `id`, equal for every address of one page:
 * - `storefront`: the subdomain;
 * - `audioshare`, `photoshare`: the user, in lower case;
 * - `streaming`: the 22 characters of the artist id;
 * - `videoshare`, which has several sites and name spaces: host and path, as in `youtube.com/user/name`, in lower
 *   case save for a channel id.
 */
export interface PageLink {
  readonly kind: 'page';
  readonly source: PageSource;
  readonly id: string;
  readonly canonical_url: string;
  readonly names: readonly [];
  readonly note: null;
}

/** A host that is no known site: perhaps an artist's own. `names` and `note` serve where it is nobody's. */
export interface WebsiteLink {
  readonly kind: 'website';
  readonly source: 'website';
  /** The host without `www.`, IDN labels in their ASCII form. */
  readonly id: string;
  readonly canonical_url: string;
  /** Whether the link leads to the front page. A page within may be one of many people's, such as a label's roster. */
  readonly is_front_page: boolean;
  readonly names: readonly string[];
  readonly note: string;
}

/** Nothing but a name can be read from the address; null for `source` and address on a site that is not known. */
export interface NameLink {
  readonly kind: 'name';
  readonly source: LinkSource | null;
  /** The name or handle, as the site writes it. */
  readonly id: string;
  readonly canonical_url: string | null;
  readonly names: readonly string[];
  readonly note: string;
}

/** No artist can be read from the text; `source` is the site, where it is a known one. */
export interface DeadLink {
  readonly kind: 'none';
  readonly source: LinkSource | null;
  readonly id: null;
  readonly canonical_url: null;
  readonly names: readonly [];
  readonly note: string;
}

/** What a link says by its address alone. `names` are spellings to look up, likeliest first. */
export type ParsedLink = IdLink | PageLink | WebsiteLink | NameLink | DeadLink;

export const idLink = (source: IdSource, id: string, canonical_url: string): IdLink => ({
  kind: 'id',
  source,
  id,
  canonical_url,
  names: [],
  note: null,
});

export const pageLink = (source: PageSource, id: string, canonical_url: string): PageLink => ({
  kind: 'page',
  source,
  id,
  canonical_url,
  names: [],
  note: null,
});

export const deadLink = (source: LinkSource | null, note: string): DeadLink => ({
  kind: 'none',
  source,
  id: null,
  canonical_url: null,
  names: [],
  note,
});
