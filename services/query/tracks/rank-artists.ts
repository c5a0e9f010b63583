import { type Static, Type } from '@sinclair/typebox';
import { ascending, descending, sorted } from '../../../projections/engine/order.ts';
import { orNull } from '../../../projections/engine/values.ts';
import { artistDossierPath, artistPath } from '../../../projections/models/shared/links.ts';
import type { FoundTracks, IndexedTrack, TrackCorpus } from '../../../projections/models/track/document.ts';
import { Source } from './schema.ts';

export const RankedArtist = Type.Object({
  artistCredit: orNull(Type.String({ description: 'The artist as credited, for display only.' })),
  clusterId: Type.String({ description: 'Cluster id of the artist.' }),
  releases: Type.Integer({
    description: "Releases with the artist's version; on the storefront, items. With source all, the sum.",
  }),
  recordings: Type.Integer({ description: 'Recordings of the title by the artist.' }),
  sources: Type.Array(Source),
  _links: Type.Object({
    artist: Type.String(),
    artist_dossier: Type.String(),
  }),
});
type RankedArtist = Static<typeof RankedArtist>;

/** Documents of one corpus that may have the title. */
interface CorpusTracks {
  readonly corpus: TrackCorpus;
  readonly documents: readonly FoundTracks[];
}

interface Tally {
  readonly clusterId: string;
  readonly sources: TrackCorpus[];
  releases: number;
  recordings: number;
  credit: { readonly name: string; readonly releases: number } | null;
}

/**
 * The artists of the matching tracks, each once: by releases, then by recordings, then by cluster id. The credit of an
 * artist is the one on most releases in the first corpus that has the artist.
 *
 * @param isMatch by title alone
 */
export function rankArtists(
  found: readonly CorpusTracks[],
  isMatch: (title: string) => boolean,
): RankedArtist[] {
  const tallies = new Map<string, Tally>();
  for (const { corpus, documents } of found) {
    for (const document of documents) {
      const matched = document.tracks.filter(({ title }) => isMatch(title));
      for (const [clusterId, tracks] of Map.groupBy(matched, ({ artist }) => artist)) {
        const tally = tallies.get(clusterId) ?? emptyTally(clusterId);
        tallies.set(clusterId, tally);
        count(tally, corpus, tracks);
      }
    }
  }
  return sorted(
    [...tallies.values()],
    descending(({ releases }) => releases),
    descending(({ recordings }) => recordings),
    ascending(({ clusterId }) => clusterId),
  ).map(resultOf);
}

const emptyTally = (clusterId: string): Tally => ({
  clusterId,
  sources: [],
  releases: 0,
  recordings: 0,
  credit: null,
});

/** A recording has its own release count; a storefront release counts once, however many of its tracks match. */
function count(tally: Tally, corpus: TrackCorpus, tracks: readonly IndexedTrack[]): void {
  const isNewSource = !tally.sources.includes(corpus);
  if (isNewSource) tally.sources.push(corpus);
  tally.recordings += tracks.length;
  tally.releases += corpus === 'mb' ? sum(tracks.map(({ releases }) => releases ?? 0)) : 1;
  if (tally.sources[0] !== corpus) return;
  for (const { credit, releases = 1 } of tracks) {
    const name = credit.trim();
    if (name === '') continue;
    const { credit: before } = tally;
    const isBetter =
      before === null || releases > before.releases || (releases === before.releases && name < before.name);
    if (isBetter) tally.credit = { name, releases };
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

const resultOf = ({ clusterId, sources, releases, recordings, credit }: Tally): RankedArtist => ({
  artistCredit: credit?.name ?? null,
  clusterId,
  releases,
  recordings,
  sources,
  _links: {
    artist: artistPath(clusterId),
    artist_dossier: artistDossierPath(clusterId),
  },
});
