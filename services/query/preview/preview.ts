import type { Pool } from 'pg';
import { clusterKey, nameKey } from '../../../projections/models/identity/lookup-keys.ts';
import { ownerLookup } from '../../../projections/models/identity/read.ts';
import { teaserByKey, teaserBySlug } from '../../../projections/models/preview/read.ts';
import { type Teaser, UNTRACKED } from '../../../projections/models/preview/teaser.ts';
import { parseEntityKey } from '../dossier/entity-key.ts';
import { idNote } from '../resolve/id-note.ts';

/** A preview without its envelope. */
export interface FoundPreview extends Teaser {
  readonly present: boolean;
  readonly note: string;
}

const NOTES = {
  catalog: 'A teaser for exploration. The whole dossier with its provenance requires an API key.',
  cluster:
    'Observed in the booking graph, not verified by the catalogue. The whole dossier requires an API key.',
  pending: 'The artist is in the catalogue, but no cluster is bound to it alone, so no signals are joined.',
  ambiguous: 'Several artists match this name equally well, so none was chosen. Use a slug or a cluster id.',
  unknown: 'No artist has exactly this name, slug or cluster id.',
} as const;

/** The artist of a preview, or null, and a remark on the lookup. */
interface Found {
  readonly teaser: Teaser | null;
  readonly remark?: string | undefined;
}

/**
 * Makes a function that finds the preview of a name, slug or cluster id. A cluster id takes one statement, most names two,
 * names without a cluster and merged clusters three. A name takes precedence over a slug unless it leads to no single
 * cluster: a slug is more specific than a shared name.
 */
export function previewFinder(pool: Pool): (name: string) => Promise<FoundPreview> {
  const owner = ownerLookup(pool);
  const byKey = teaserByKey(pool);
  const bySlug = teaserBySlug(pool);

  async function findCluster(cluster: string): Promise<Found> {
    const teaser = await byKey(`artist:${cluster}`);
    if (teaser !== null) return { teaser };
    const lookupKey = clusterKey(cluster);
    const found = await owner(lookupKey);
    if (found.identity === null && !found.isAmbiguous) return { teaser: null };
    const into = found.identity?.clusterId ?? null;
    const remark = await idNote({ by: 'cluster', lookupKey, found, owner });
    return {
      teaser: into === null ? null : await byKey(`artist:${into}`),
      ...(remark === undefined ? {} : { remark }),
    };
  }

  async function findName(name: string, slug: string | null): Promise<Found> {
    const { identity, isAmbiguous } = await owner(nameKey(name));
    if (identity !== null && identity.clusterId !== null) return { teaser: await byKey(identity.key) };
    const ofSlug = slug === null ? null : await bySlug(slug);
    if (ofSlug !== null) return { teaser: ofSlug };
    if (isAmbiguous) return { teaser: null, remark: NOTES.ambiguous };
    return { teaser: identity === null ? null : await byKey(identity.key) };
  }

  return async (name) => {
    const key = parseEntityKey(name.toLowerCase());
    const { teaser, remark } = key?.isCluster
      ? await findCluster(key.value)
      : await findName(name, key?.value ?? null);
    if (teaser === null) return noArtist(name, remark ?? NOTES.unknown);
    const note = remark === undefined ? noteOf(teaser) : `${remark} ${noteOf(teaser)}`;
    return { present: true, ...teaser, note };
  };
}

const noteOf = ({ cluster_id, resolved_via }: Teaser): string => {
  if (cluster_id === null) return NOTES.pending;
  return resolved_via === 'catalog' ? NOTES.catalog : NOTES.cluster;
};

const noArtist = (name: string, note: string): FoundPreview => ({
  present: false,
  display: name,
  cluster_id: null,
  resolved_via: null,
  emergence_tier: UNTRACKED,
  arc: [],
  arc_truncated: false,
  booked_with: [],
  press_count: 0,
  note,
});
