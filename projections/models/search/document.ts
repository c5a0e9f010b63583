import type { catalogMaster } from '../../contracts/catalog/master.ts';
import { catalogMasterCube } from '../../contracts/catalog/master-cube.ts';
import type { Row } from '../../contracts/contract.ts';
import { artistIdentityBridge } from '../../contracts/seen/artist-identity-bridge.ts';
import { subjectRef } from '../../engine/projection.ts';
import type { MirrorRows, SubjectRef } from '../../engine/rows.ts';
import { splitWords } from './words.ts';

type Master = Row<typeof catalogMaster>;

/** A release group as a search result. */
export interface SearchRow {
  readonly master_id: number;
  readonly title: string;
  readonly artist: string;
  readonly year: number | null;
  readonly cube_quadrant: string | null;
  readonly owner_count: number | null;
  readonly dj_count: number | null;
  readonly critic_count: number | null;
  readonly formats: readonly string[];
  readonly artist_cluster_id: string | null;
}

/** `Words`, joined by spaces. */
export interface SpacedWords {
  readonly words: string;
  readonly further: string;
}

/** Everything the search index reads about a release group. */
export interface SearchDocument {
  readonly row: SearchRow;
  readonly genres: readonly string[];
  readonly styles: readonly string[];
  readonly country: string | null;
  readonly labels: readonly string[];
  readonly title: SpacedWords;
  readonly artist: SpacedWords;
}

const QUADRANT = /^[01]{3}$/;

export function searchDocument(master: Master, rows: MirrorRows): SearchDocument {
  const cube = rows.one(catalogMasterCube, subjectRef('master', master.master_id));
  const quadrant = cube?.cube_quadrant ?? null;
  return {
    row: {
      master_id: master.master_id,
      title: master.title,
      artist: master.artist_display,
      year: master.year,
      cube_quadrant: quadrant !== null && QUADRANT.test(quadrant) ? quadrant : null,
      owner_count: cube?.owner_count ?? null,
      dj_count: cube?.dj_count ?? null,
      critic_count: cube?.critic_count ?? null,
      formats: master.formats,
      artist_cluster_id: clusterOf(master, rows),
    },
    genres: master.genres,
    styles: master.styles,
    country: master.country,
    labels: master.labels,
    title: spacedWords(master.title),
    artist: spacedWords(master.artist_display),
  };
}

function spacedWords(text: string): SpacedWords {
  const { words, further } = splitWords(text);
  return { words: words.join(' '), further: further.join(' ') };
}

/** The only credited artist of a release group; empty if several are credited. */
export function artistRefs(master: Master): SubjectRef[] {
  const ids = new Set(master.catalog_artist_ids);
  return ids.size === 1 ? [...ids].map((id) => subjectRef('catalog-artist', id)) : [];
}

/** The cluster with an exact bind to the only artist and to no other; if several, highest confidence, then lowest id. */
function clusterOf(master: Master, rows: MirrorRows): string | null {
  const bridges = artistRefs(master)
    .flatMap((ref) => rows.all(artistIdentityBridge, ref))
    .filter((bridge) => bridge.is_exact && bridge.catalog_artist_id_count === 1)
    .toSorted((a, b) => b.confidence - a.confidence || (a.cluster_id < b.cluster_id ? -1 : 1));
  return bridges[0]?.cluster_id ?? null;
}
