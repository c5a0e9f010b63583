import { sorted } from '../order.ts';
import { type Read, subjectRef } from '../projection.ts';
import { artistCards } from '../published/artist-cards.ts';
import type { MirrorView } from '../published/mirror-view.ts';
import type { Entry, PublishedIndex } from '../published/published-index.ts';
import { type TopList, topList } from '../published/top-list.ts';
import { artistPressMentions } from '../sources/archive/artist-press-mentions.ts';
import { artistMomentum } from '../sources/seen/artist-momentum.ts';
import { type Breakout, breakoutItem, breakoutOf, breakoutOrders, isBreakingOut } from './breakout.ts';
import { BREAKOUTS, listOfBreakout, listsOfFilter } from './lists.ts';

/** Nobody may ask for more, whatever the filter. */
const MOST = 200;

const momentumReads: readonly Read[] = [{ source: artistMomentum, by: ['artist'] }];
const reads: readonly Read[] = [...momentumReads, { source: artistPressMentions, by: ['artist'] }];

/** Artists who break out by bookings, held against the press. */
export const breakoutsIndex: PublishedIndex = {
  name: BREAKOUTS,
  module: 'breakouts/compute.ts',
  decidedBy: [artistMomentum, artistPressMentions],
  isOfDay: false,
  compute: computeBreakouts,
};

async function computeBreakouts(mirror: MirrorView): Promise<Entry[]> {
  const lists = new Map(listsOfFilter({}).map((list) => [list, topList<Breakout>(MOST, ...breakoutOrders)]));
  for await (const clusters of mirror.subjects(artistMomentum)) await addBreakouts(mirror, clusters, lists);
  const first = sorted(
    [...lists.values()].flatMap((list) => list.rows()),
    ...breakoutOrders,
  );
  const cards = await artistCards(
    mirror,
    first.map(({ clusterId }) => clusterId),
  );
  return first.flatMap((breakout) => {
    const card = cards.get(breakout.clusterId);
    if (card === undefined) return [];
    return [{ list: listOfBreakout(breakout), key: breakout.clusterId, body: breakoutItem(breakout, card) }];
  });
}

/** The press is asked only about those who break out, who are few. */
async function addBreakouts(
  mirror: MirrorView,
  clusters: readonly string[],
  lists: ReadonlyMap<string, TopList<Breakout>>,
): Promise<void> {
  const refs = clusters.map((id) => subjectRef('artist', id));
  const momentum = await mirror.readRows(momentumReads, refs);
  const breaking = refs.filter((ref) => isBreakingOut(ref, momentum));
  if (breaking.length === 0) return;
  const rows = await mirror.readRows(reads, breaking);
  for (const ref of breaking) {
    const breakout = breakoutOf(ref, rows);
    if (breakout !== null) lists.get(listOfBreakout(breakout))?.add(breakout);
  }
}
