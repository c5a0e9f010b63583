import type { LinkSiteName } from '../../shared/hosts.ts';

/** Sites, by neutral name. */
export type LinkSource = Exclude<LinkSiteName, 'filmshare'>;
/** Sites with artist ids that can be looked up directly. */
export type IdSource = 'catalog' | 'mb';
/** Sites with artist pages, which are looked up by page. */
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
 * A page of the artist on a site. `id` is equal for every URL of one page:
 * - `storefront`: the subdomain;
 * - `audioshare`, `photoshare`: the user, in lower case;
 * - `streaming`: the 22 characters of the artist id;
 * - `videoshare`, which has several sites and name spaces: host and path, such as `youtube.com/user/name`, in lower
 *   case except for a channel id.
 */
export interface PageLink {
  readonly kind: 'page';
  readonly source: PageSource;
  readonly id: string;
  readonly canonical_url: string;
  readonly names: readonly [];
  readonly note: null;
}

/** An unknown host, perhaps an artist's own website. `names` and `note` apply if no artist lists it. */
export interface WebsiteLink {
  readonly kind: 'website';
  readonly source: 'website';
  /** The host without `www.`, IDN labels in their ASCII form. */
  readonly id: string;
  readonly canonical_url: string;
  /** Whether the link is the front page. Other pages may be about many artists, such as a label's roster. */
  readonly is_front_page: boolean;
  readonly names: readonly string[];
  readonly note: string;
}

/** Only a name can be read from the URL; `source` and `canonical_url` are null on an unknown site. */
export interface NameLink {
  readonly kind: 'name';
  readonly source: LinkSource | null;
  /** The name or handle, as the site writes it. */
  readonly id: string;
  readonly canonical_url: string | null;
  readonly names: readonly string[];
  readonly note: string;
}

/** No artist can be read from the text; `source` is the site if it is known. */
export interface DeadLink {
  readonly kind: 'none';
  readonly source: LinkSource | null;
  readonly id: null;
  readonly canonical_url: null;
  readonly names: readonly [];
  readonly note: string;
}

/** What a URL alone shows about an artist. `names` are spellings to look up, likeliest first. */
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
