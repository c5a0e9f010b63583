import { type Read, subjectRef } from '../projection.ts';
import { type ArtistCard, artistCards } from '../published/artist-cards.ts';
import type { MirrorView } from '../published/mirror-view.ts';
import type { Entry, PublishedIndex } from '../published/published-index.ts';
import type { TopList } from '../published/top-list.ts';
import type { MirrorRows, SubjectRef } from '../rows.ts';
import type { Source } from '../sources/contract.ts';
import { artistBrokerage } from '../sources/seen/artist-brokerage.ts';
import { artistEmergenceLeadTime } from '../sources/seen/artist-emergence-lead-time.ts';
import { artistMomentum } from '../sources/seen/artist-momentum.ts';
import { djTastemakerScore } from '../sources/seen/dj-tastemaker-score.ts';
import { storefrontArtistGravity } from '../sources/seen/storefront-artist-gravity.ts';
import { earlySpinner, spinnerReads, spinners } from './early-spinners.ts';
import { leaderboardRow, leaderOf, leaderReads, leaders } from './leaderboard.ts';
import { emerging, emergingOf, emergingReads, oneToWatch, watchReads } from './ones-to-watch.ts';
import { type TASTEMAKER_LISTS, TASTEMAKERS } from './rows.ts';

/** Nobody may ask for more of a list. */
const MOST = 200;

const placedReads: readonly Read[] = [
  ...watchReads.filter(({ source }) => source !== storefrontArtistGravity),
  { source: artistEmergenceLeadTime, by: ['artist'] },
  { source: storefrontArtistGravity, by: ['artist'] },
];

/** Whose circle tells who comes next, who that is, and which DJs play it early. */
export const tastemakersIndex: PublishedIndex = {
  name: TASTEMAKERS,
  module: 'tastemakers/compute.ts',
  decidedBy: null,
  isOfDay: false,
  compute: computeTastemakers,
};

async function computeTastemakers(mirror: MirrorView): Promise<Entry[]> {
  const leading = await collect(mirror, artistBrokerage, leaderReads, leaderOf, leaders(MOST));
  const watched = await collect(mirror, artistMomentum, emergingReads, emergingOf, emerging(MOST));
  const spinning = await collect(
    mirror,
    djTastemakerScore,
    spinnerReads,
    (dj, rows) => rows.one(djTastemakerScore, dj),
    spinners(MOST),
  );

  const clusters = [...new Set([...leading, ...watched].map(({ clusterId }) => clusterId))];
  const cards = await artistCards(mirror, clusters);
  const rows = await mirror.readRows(
    placedReads,
    clusters.map((id) => subjectRef('artist', id)),
  );
  const place = <T extends { readonly clusterId: string }>(
    list: (typeof TASTEMAKER_LISTS)[number],
    ones: readonly T[],
    bodyOf: BodyOf<T>,
  ): Entry[] =>
    ones.flatMap((one, index) => {
      const card = cards.get(one.clusterId);
      if (card === undefined) return [];
      const body = bodyOf(one, index + 1, card, subjectRef('artist', one.clusterId), rows);
      return [{ list, key: one.clusterId, body }];
    });
  return [
    ...place('leaderboard', leading, leaderboardRow),
    ...place('onesToWatch', watched, oneToWatch),
    ...spinning.map((dj, index) => ({
      list: 'earlySpinners',
      key: dj.cluster_id,
      body: earlySpinner(dj, index + 1),
    })),
  ];
}

type BodyOf<T> = (one: T, rank: number, card: ArtistCard, artist: SubjectRef, rows: MirrorRows) => object;

/** Goes through all artists whom a source names and keeps the first. */
async function collect<T>(
  mirror: MirrorView,
  source: Source,
  reads: readonly Read[],
  toCandidate: (artist: SubjectRef, rows: MirrorRows) => T | null,
  kept: TopList<T>,
): Promise<T[]> {
  for await (const clusters of mirror.subjects(source)) {
    const refs = clusters.map((id) => subjectRef('artist', id));
    const rows = await mirror.readRows(reads, refs);
    for (const ref of refs) {
      const candidate = toCandidate(ref, rows);
      if (candidate !== null) kept.add(candidate);
    }
  }
  return kept.rows();
}
