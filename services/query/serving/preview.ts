import type { Pool } from 'pg';
import { clusterAddress, nameAddress } from '../../../projections/identity/claims.ts';
import { ownerLookup } from '../../../projections/identity/read.ts';
import { teaserByKey, teaserBySlug } from '../../../projections/preview/read.ts';
import { type Teaser, UNTRACKED } from '../../../projections/preview/teaser.ts';
import { parseEntityKey } from './entity-key.ts';
import { idNote } from './id-note.ts';

/** What a preview says of whom was asked for. */
export interface FoundPreview extends Teaser {
  readonly present: boolean;
  readonly note: string;
}

const NOTES = {
  catalog: 'A teaser for exploration. The whole dossier, and where it comes from, takes an API key.',
  cluster:
    'Observed in the booking graph, not verified by the catalogue. The whole dossier takes an API key.',
  pending: 'The artist is in the catalogue; no cluster is bound to it alone, so no signals are joined.',
  ambiguous:
    'Several artists have an equal claim to this name, so that none was chosen. Ask with a slug or a cluster id.',
  unknown: 'No artist of exactly this name, slug or cluster id is known.',
} as const;

/** Whom an answer is about, null for nobody, and what to say of how it was found. */
interface Found {
  readonly teaser: Teaser | null;
  readonly remark?: string | undefined;
}

/**
 * Finds whom a name, slug or cluster id means, and what may be said of it without a key: with one statement for a
 * cluster id, with two for most of the rest, and three for a name that no cluster is bound to and for a merged cluster.
 * A name comes before a slug, unless it leads to no one cluster: such a name may be a homonym's, and the slug tells more.
 */
export function previewFinder(pool: Pool): (asked: string) => Promise<FoundPreview> {
  const owner = ownerLookup(pool);
  const byKey = teaserByKey(pool);
  const bySlug = teaserBySlug(pool);

  async function findCluster(cluster: string): Promise<Found> {
    const teaser = await byKey(`artist:${cluster}`);
    if (teaser !== null) return { teaser };
    const address = clusterAddress(cluster);
    const found = await owner(address);
    if (found.identity === null && !found.isAmbiguous) return { teaser: null };
    const into = found.identity?.clusterId ?? null;
    return {
      teaser: into === null ? null : await byKey(`artist:${into}`),
      remark: idNote('cluster', address, found),
    };
  }

  async function findName(asked: string, slug: string | null): Promise<Found> {
    const { identity, isAmbiguous } = await owner(nameAddress(asked));
    if (identity !== null && identity.clusterId !== null) return { teaser: await byKey(identity.key) };
    const ofSlug = slug === null ? null : await bySlug(slug);
    if (ofSlug !== null) return { teaser: ofSlug };
    if (isAmbiguous) return { teaser: null, remark: NOTES.ambiguous };
    return { teaser: identity === null ? null : await byKey(identity.key) };
  }

  return async (asked) => {
    const key = parseEntityKey(asked);
    const { teaser, remark } = key?.isCluster
      ? await findCluster(key.value)
      : await findName(asked, key?.value ?? null);
    if (teaser === null) return nobody(asked, remark ?? NOTES.unknown);
    const note = remark === undefined ? noteOf(teaser) : `${remark} ${noteOf(teaser)}`;
    return { present: true, ...teaser, note };
  };
}

const noteOf = ({ cluster_id, resolved_via }: Teaser): string => {
  if (cluster_id === null) return NOTES.pending;
  return resolved_via === 'catalog' ? NOTES.catalog : NOTES.cluster;
};

const nobody = (asked: string, note: string): FoundPreview => ({
  present: false,
  display: asked,
  cluster_id: null,
  resolved_via: null,
  emergence_tier: UNTRACKED,
  arc: [],
  arc_truncated: false,
  booked_with: [],
  press_count: 0,
  note,
});
