import { linkSites } from '../../../shared/hosts.ts';
import { handleNames } from '../spelled-names.ts';
import type { Site } from './site.ts';

/** A dot at the end belongs to the sentence. */
const SLUG = /^[a-z\d._-]{0,99}[a-z\d_-]$/;

/** `/dj/slug` and pages below it. */
export const listing: Site = {
  source: 'listing',
  hosts: linkSites.listing,
  read({ segments: [type, written] }) {
    const slug = written?.toLowerCase() ?? '';
    if (type !== 'dj' || !SLUG.test(slug)) return null;
    return {
      kind: 'name',
      source: 'listing',
      id: slug,
      canonical_url: `${linkSites.listing.origin}/dj/${slug}`,
      names: handleNames(slug),
      note: 'Pages of the event listing are not indexed; the handle in the link was used as a name.',
    };
  },
};
