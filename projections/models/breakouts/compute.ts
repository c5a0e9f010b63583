import { artistPressMentions } from '../../contracts/archive/artist-press-mentions.ts';
import { artistMomentum } from '../../contracts/seen/artist-momentum.ts';
import { sorted } from '../../engine/order.ts';
import { type Read, subjectRef } from '../../engine/projection.ts';
import type { MirrorView } from '../../engine/published/mirror-view.ts';
import type { IndexEntry, PublishedIndex } from '../../engine/published/published-index.ts';
import { type TopList, topList } from '../../engine/published/top-list.ts';
import { artistCards } from '../artist/artist-cards.ts';
import { type Breakout, breakoutItem, breakoutOf, breakoutOrders, isBreakingOut } from './breakout.ts';
import { BREAKOUTS, listOfBreakout, listsOfFilter } from './lists.ts';

/** Largest page that a request may read, whatever the filter. */
const MAX_ROWS = 200;

const momentumReads: readonly Read[] = [{ source: artistMomentum, by: ['artist'] }];
const reads: readonly Read[] = [...momentumReads, { source: artistPressMentions, by: ['artist'] }];

/** Artists who break out by bookings, compared with the press. */
export const breakoutsIndex: PublishedIndex = {
  name: BREAKOUTS,
  version: 2,
  decidedBy: [artistMomentum, artistPressMentions],
  isDated: false,
  compute: computeBreakouts,
};

async function computeBreakouts(mirror: MirrorView): Promise<IndexEntry[]> {
  const lists = new Map(
    listsOfFilter({}).map((list) => [list, topList<Breakout>(MAX_ROWS, ...breakoutOrders)]),
  );
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

/** Reads press mentions only for the few artists who break out. */
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
