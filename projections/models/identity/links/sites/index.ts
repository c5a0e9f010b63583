import { audioshare } from './audioshare.ts';
import { catalog } from './catalog.ts';
import { filmshare } from './filmshare.ts';
import { listing } from './listing.ts';
import { mb } from './mb.ts';
import { photoshare } from './photoshare.ts';
import { scrobbler } from './scrobbler.ts';
import type { Site } from './site.ts';
import { storefront } from './storefront.ts';
import { streaming } from './streaming.ts';
import { videoshare } from './videoshare.ts';

/** The sites whose links are recognised. */
export const sites: readonly Site[] = [
  catalog,
  mb,
  storefront,
  audioshare,
  photoshare,
  streaming,
  videoshare,
  filmshare,
  listing,
  scrobbler,
];
