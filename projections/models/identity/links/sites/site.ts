import type { LinkSite } from '../../../shared/hosts.ts';
import type { IdLink, LinkSource, NameLink, PageLink } from '../parsed-link.ts';
import type { WebPage } from '../web-page.ts';

/** A site whose links are recognised. */
export interface Site {
  readonly source: LinkSource;
  readonly hosts: LinkSite;
  /** The artist of a page; null if it is not about one artist. */
  readonly read: (page: WebPage) => IdLink | PageLink | NameLink | null;
}
