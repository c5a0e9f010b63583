import { subjectRef } from '../projection.ts';
import type { MirrorRows, SubjectRef } from '../rows.ts';
import type { catalogMaster } from '../sources/catalog/master.ts';
import { catalogMasterCube } from '../sources/catalog/master-cube.ts';
import type { Row } from '../sources/contract.ts';
import { artistIdentityBridge } from '../sources/seen/artist-identity-bridge.ts';
import { splitWords } from './words.ts';

type Master = Row<typeof catalogMaster>;

/** A release group as search results show it. */
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

/** Words of a text, each set separated by spaces; see `Words`. */
export interface SpacedWords {
  readonly words: string;
  readonly further: string;
}

/** All that the search has to know of a release group. */
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

/** Everything that a release group's only artist is bound by; nothing where several are credited. */
export function artistRefs(master: Master): SubjectRef[] {
  const ids = new Set(master.catalog_artist_ids);
  return ids.size === 1 ? [...ids].map((id) => subjectRef('catalog-artist', id)) : [];
}

/** The cluster of the only artist, where it is bound to that artist alone and exactly: of several the surest, then the least. */
function clusterOf(master: Master, rows: MirrorRows): string | null {
  const bridges = artistRefs(master)
    .flatMap((ref) => rows.all(artistIdentityBridge, ref))
    .filter((bridge) => bridge.is_exact && bridge.catalog_artist_id_count === 1)
    .toSorted((a, b) => b.confidence - a.confidence || (a.cluster_id < b.cluster_id ? -1 : 1));
  return bridges[0]?.cluster_id ?? null;
}
