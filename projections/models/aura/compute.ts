import { clusterArrivalLedgerV1 } from '../../contracts/fleet/cluster-arrival-ledger-v1.ts';
import { clusterBreakEventV1 } from '../../contracts/fleet/cluster-break-event-v1.ts';
import { ascending, descending, sorted } from '../../engine/order.ts';
import { type Read, subjectRef } from '../../engine/projection.ts';
import type { MirrorView } from '../../engine/published/mirror-view.ts';
import type { IndexEntry, PublishedIndex } from '../../engine/published/published-index.ts';
import { clusterName, namingReads } from '../artist/artist-cards.ts';
import { breakHistory } from './break-odds.ts';
import { type Convergence, convergenceOn } from './convergence.ts';
import { AURA, type AuraRow } from './row.ts';

const reads: readonly Read[] = [
  { source: clusterArrivalLedgerV1, by: ['artist'] },
  { source: clusterBreakEventV1, by: ['artist'] },
];

/** Artists by number of converging signals. Every row depends on all artists, because the odds are a rate over them. */
export const auraIndex: PublishedIndex = {
  name: AURA,
  version: 1,
  decidedBy: [clusterArrivalLedgerV1, clusterBreakEventV1],
  isDated: true,
  compute: computeAura,
};

type Uncalibrated = Omit<AuraRow, 'break_odds'>;
type Nameless = Omit<Uncalibrated, 'artist_name'>;

async function computeAura(mirror: MirrorView, day: string): Promise<IndexEntry[]> {
  const history = breakHistory(day);
  const found: Uncalibrated[] = [];
  for await (const clusters of mirror.subjects(clusterArrivalLedgerV1)) {
    const refs = clusters.map((id) => subjectRef('artist', id));
    const rows = await mirror.readRows(reads, refs);
    const converging: Nameless[] = [];
    for (const id of clusters) {
      const arrivals = rows.all(clusterArrivalLedgerV1, subjectRef('artist', id));
      const breakAt = rows.one(clusterBreakEventV1, subjectRef('artist', id))?.break_event_at ?? null;
      history.add(arrivals, breakAt);
      const convergence = convergenceOn(day, arrivals);
      if (convergence !== null) converging.push(rowOn(day, { clusterId: id, convergence, breakAt }));
    }
    found.push(...(await named(mirror, converging)));
  }
  const calibrated = found.map((row) => auraRow(row, history.oddsAt(row.convergence_dim_count)));
  return rankAura(calibrated).map((body) => ({ list: AURA, key: body.cluster_id, body }));
}

/** A break after the day has not happened yet. */
function rowOn(
  day: string,
  {
    clusterId,
    convergence,
    breakAt,
  }: { clusterId: string; convergence: Convergence; breakAt: string | null },
): Nameless {
  const hasBroken = breakAt !== null && breakAt <= day;
  return {
    cluster_id: clusterId,
    convergence_dim_count: convergence.dimensions.length,
    dimensions: [...convergence.dimensions],
    first_signal_at: convergence.firstSignalAt,
    latest_appearance_at: convergence.latestAppearanceAt,
    has_break_event: hasBroken,
    break_event_at: hasBroken ? breakAt : null,
  };
}

async function named({ readRows }: MirrorView, converging: readonly Nameless[]): Promise<Uncalibrated[]> {
  if (converging.length === 0) return [];
  const refs = converging.map(({ cluster_id }) => subjectRef('artist', cluster_id));
  const rows = await readRows(namingReads, refs);
  return converging.map((row) => ({
    ...row,
    artist_name: clusterName(subjectRef('artist', row.cluster_id), row.cluster_id, rows),
  }));
}

/** A row with its members in the served order. */
const auraRow = (row: Uncalibrated, odds: number | null): AuraRow => ({
  cluster_id: row.cluster_id,
  artist_name: row.artist_name,
  convergence_dim_count: row.convergence_dim_count,
  dimensions: row.dimensions,
  break_odds: odds,
  first_signal_at: row.first_signal_at,
  latest_appearance_at: row.latest_appearance_at,
  has_break_event: row.has_break_event,
  break_event_at: row.break_event_at,
});

/** Orders by depth, odds and latest appearance; the cluster id breaks ties. */
const rankAura = (rows: readonly AuraRow[]): AuraRow[] =>
  sorted(
    rows,
    descending((row) => row.convergence_dim_count),
    descending((row) => row.break_odds),
    descending((row) => row.latest_appearance_at),
    ascending((row) => row.cluster_id),
  );
