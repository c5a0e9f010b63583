import type { LinkSite } from '../../../hosts.ts';
import type { IdLink, LinkSource, NameLink, PageLink } from '../parsed-link.ts';
import type { Page } from '../read-page.ts';

/** How the links of one site are read. */
export interface Site {
  readonly source: LinkSource;
  readonly hosts: LinkSite;
  /** The artist that a page of the site is about; null where it is about none. */
  readonly read: (page: Page) => IdLink | PageLink | NameLink | null;
}
