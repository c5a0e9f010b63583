import { linkSites } from '../../../shared/hosts.ts';
import { idLink } from '../parsed-link.ts';
import type { Site } from './site.ts';

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** `/artist/{uuid}` and pages below it. */
export const mb: Site = {
  source: 'mb',
  hosts: linkSites.mb,
  read({ segments: [type, id] }) {
    if (type !== 'artist' || id === undefined || !UUID.test(id)) return null;
    const mbid = id.toLowerCase();
    return idLink('mb', mbid, `${linkSites.mb.origin}/artist/${mbid}`);
  },
};
