import { ascending, descending } from '../order.ts';
import type { Read } from '../projection.ts';
import { type TopList, topList } from '../published/top-list.ts';
import type { Row } from '../sources/contract.ts';
import { djTastemakerScore } from '../sources/seen/dj-tastemaker-score.ts';
import type { EarlySpinner } from './rows.ts';

export const spinnerReads: readonly Read[] = [{ source: djTastemakerScore, by: ['artist'] }];

type Spinner = Row<typeof djTastemakerScore>;

/** Who is earliest comes first, then who was first most often; the cluster id settles the rest. */
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
