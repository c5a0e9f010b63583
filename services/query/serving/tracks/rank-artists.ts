import { artistDossierPath, artistPath } from '../../../../projections/links.ts';
import { ascending, descending, sorted } from '../../../../projections/order.ts';
import type { Corpus, FoundTracks, Track } from '../../../../projections/track/document.ts';
import type { TracksBody } from '../../schemas/tracks.ts';

type Result = TracksBody['results'][number];

/** Documents of one corpus that may hold the title. */
interface CorpusTracks {
  readonly corpus: Corpus;
  readonly documents: readonly FoundTracks[];
}

interface Tally {
  readonly clusterId: string;
  readonly sources: Corpus[];
  releases: number;
  recordings: number;
  credit: { readonly name: string; readonly releases: number } | null;
}

/**
 * The artists of the tracks that match, each once, those first whose version is on most releases; then by recordings,
 * then by cluster id. Of credits the one counts that is on most releases, of the corpus that comes first.
 *
 * @param isMatch by title alone
 */
export function rankArtists(found: readonly CorpusTracks[], isMatch: (title: string) => boolean): Result[] {
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

/** A recording is on as many releases as it says; a storefront release is one, however many of its tracks match. */
function count(tally: Tally, corpus: Corpus, tracks: readonly Track[]): void {
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

const resultOf = ({ clusterId, sources, releases, recordings, credit }: Tally): Result => ({
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
