import type { Source } from '../../contracts/contract.ts';
import { artistBrokerage } from '../../contracts/seen/artist-brokerage.ts';
import { artistEmergenceLeadTime } from '../../contracts/seen/artist-emergence-lead-time.ts';
import { artistMomentum } from '../../contracts/seen/artist-momentum.ts';
import { djTastemakerScore } from '../../contracts/seen/dj-tastemaker-score.ts';
import { storefrontArtistGravity } from '../../contracts/seen/storefront-artist-gravity.ts';
import { type Read, subjectRef } from '../../engine/projection.ts';
import type { MirrorView } from '../../engine/published/mirror-view.ts';
import type { IndexEntry, PublishedIndex } from '../../engine/published/published-index.ts';
import type { TopList } from '../../engine/published/top-list.ts';
import type { MirrorRows, SubjectRef } from '../../engine/rows.ts';
import { artistCards } from '../artist/artist-cards.ts';
import { earlySpinner, spinnerReads, spinners } from './early-spinners.ts';
import { type ListEntry, leaderboardRow, leaderOf, leaderReads, leaders } from './leaderboard.ts';
import { emerging, emergingOf, emergingReads, oneToWatch, watchReads } from './ones-to-watch.ts';
import { type TASTEMAKER_LISTS, TASTEMAKERS } from './rows.ts';

/** Largest page that a request may read. */
const MAX_ROWS = 200;

const entryReads: readonly Read[] = [
  ...watchReads.filter(({ source }) => source !== storefrontArtistGravity),
  { source: artistEmergenceLeadTime, by: ['artist'] },
  { source: storefrontArtistGravity, by: ['artist'] },
];

/** Artists whose circle includes emerging artists, the emerging artists, and the DJs who play them early. */
export const tastemakersIndex: PublishedIndex = {
  name: TASTEMAKERS,
  version: 2,
  decidedBy: null,
  isDated: false,
  compute: computeTastemakers,
};

async function computeTastemakers(mirror: MirrorView): Promise<IndexEntry[]> {
  const leading = await collect(mirror, {
    source: artistBrokerage,
    reads: leaderReads,
    candidateOf: leaderOf,
    top: leaders(MAX_ROWS),
  });
  const watched = await collect(mirror, {
    source: artistMomentum,
    reads: emergingReads,
    candidateOf: emergingOf,
    top: emerging(MAX_ROWS),
  });
  const spinning = await collect(mirror, {
    source: djTastemakerScore,
    reads: spinnerReads,
    candidateOf: (dj, rows) => rows.one(djTastemakerScore, dj),
    top: spinners(MAX_ROWS),
  });

  const clusters = [...new Set([...leading, ...watched].map(({ clusterId }) => clusterId))];
  const cards = await artistCards(mirror, clusters);
  const rows = await mirror.readRows(
    entryReads,
    clusters.map((id) => subjectRef('artist', id)),
  );
  const entries = <T extends { readonly clusterId: string }>(
    list: (typeof TASTEMAKER_LISTS)[number],
    ones: readonly T[],
    bodyOf: (one: T, entry: ListEntry) => object,
  ): IndexEntry[] =>
    ones.flatMap((one, index) => {
      const card = cards.get(one.clusterId);
      if (card === undefined) return [];
      const body = bodyOf(one, { rank: index + 1, card, artist: subjectRef('artist', one.clusterId), rows });
      return [{ list, key: one.clusterId, body }];
    });
  return [
    ...entries('leaderboard', leading, leaderboardRow),
    ...entries('onesToWatch', watched, oneToWatch),
    ...spinning.map((dj, index) => ({
      list: 'earlySpinners',
      key: dj.cluster_id,
      body: earlySpinner(dj, index + 1),
    })),
  ];
}

interface Collection<T> {
  /** Its subjects are the artists to consider. */
  readonly source: Source;
  readonly reads: readonly Read[];
  readonly candidateOf: (artist: SubjectRef, rows: MirrorRows) => T | null;
  readonly top: TopList<T>;
}

/** Reads all artists of a source and returns the top candidates. */
async function collect<T>(
  mirror: MirrorView,
  { source, reads, candidateOf, top }: Collection<T>,
): Promise<T[]> {
  for await (const clusters of mirror.subjects(source)) {
    const refs = clusters.map((id) => subjectRef('artist', id));
    const rows = await mirror.readRows(reads, refs);
    for (const ref of refs) {
      const candidate = candidateOf(ref, rows);
      if (candidate !== null) top.add(candidate);
    }
  }
  return top.rows();
}
