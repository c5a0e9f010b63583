import type { Row } from '../../contracts/contract.ts';
import { djTastemakerScore } from '../../contracts/seen/dj-tastemaker-score.ts';
import { ascending, descending } from '../../engine/order.ts';
import type { Read } from '../../engine/projection.ts';
import { type TopList, topList } from '../../engine/published/top-list.ts';
import type { EarlySpinner } from './rows.ts';

export const spinnerReads: readonly Read[] = [{ source: djTastemakerScore, by: ['artist'] }];

type Spinner = Row<typeof djTastemakerScore>;

/** Orders by earliness, then by first plays; the cluster id breaks ties. */
export const spinners = (limit: number): TopList<Spinner> =>
  topList<Spinner>(
    limit,
    descending((dj) => dj.cutting_edge_score),
    descending((dj) => dj.masters_played_first),
    ascending((dj) => dj.cluster_id),
  );

export const earlySpinner = (dj: Spinner, rank: number): EarlySpinner => ({
  rank,
  djName: dj.dj_name,
  totalMastersPlayed: dj.total_masters_played,
  mastersPlayedFirst: dj.masters_played_first,
  mastersPlayedWithin7d: dj.masters_played_within_7d,
  cuttingEdgeScore: dj.cutting_edge_score,
  firstPlayAt: dj.first_play_at,
  latestPlayAt: dj.latest_play_at,
});
