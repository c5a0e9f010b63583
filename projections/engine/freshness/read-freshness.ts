import type { Pool } from 'pg';
import type { Projection } from '../projection.ts';
import { BUCKETS } from '../store/mark.ts';
import { readConnectors } from './connectors.ts';
import { type FreshnessReport, freshnessReport } from './freshness-report.ts';
import { readTroubledColumns } from './source-columns.ts';

interface SourceRow {
  readonly name: string;
  readonly newest_change_at: Date | null;
  readonly source_connector: string | null;
  readonly connector: number | null;
  readonly kafka: number | null;
  readonly apply: number | null;
  readonly connector_peak: number | null;
  readonly kafka_peak: number | null;
  readonly apply_peak: number | null;
  readonly recent_read: number;
  readonly recent_older: number;
}

/**
 * A measured lag counts for twenty seconds, and then the source is quiet: its lag is zero. But a record that waits makes a lag of
 * Kafka as long as it waits. Another group may have read a topic before, so the position counts that moved last.
 */
const SOURCES = `
  select name, newest_change_at, source.connector as source_connector, recent_lag.connector, recent_lag.apply,
    greatest(recent_lag.kafka, unread.seconds) as kafka, peak.connector as connector_peak, peak.kafka as kafka_peak,
    peak.apply as apply_peak, coalesce(recent.read, 0)::float8 as recent_read,
    coalesce(recent.older, 0)::float8 as recent_older
  from ingest.source
    cross join lateral (
      select case when lag_since > now() - interval '20 seconds' then 0.001 else 0 end as scale
    ) now_or_quiet
    cross join lateral (
      select connector_lag_ms::float8 * scale as connector, kafka_lag_ms::float8 * scale as kafka,
        apply_lag_ms::float8 * scale as apply
    ) recent_lag
    left join (
      select source.id, greatest(0, extract(epoch from now() - min(unread_since)))::float8 as seconds
      from (
        select distinct on (topic, partition) topic, unread_since from ingest.position
        order by topic, partition, moved_at desc
      ) last_moved
        join ingest.source on right(topic, length(source.name) + 1) = '.' || source.name
      where unread_since is not null
      group by source.id
    ) unread using (id)
    left join (
      select lag_peak.source as id, max(connector_ms)::float8 / 1000 as connector, max(kafka_ms)::float8 / 1000 as kafka,
        max(apply_ms)::float8 / 1000 as apply
      from ingest.lag_peak where since > now() - interval '65 minutes' group by lag_peak.source
    ) peak using (id)
    left join (
      select record_count.source as id, sum(recent_read) as read, sum(recent_older) as older
      from ingest.record_count group by record_count.source
    ) recent using (id)`;

/** The first mark of each bucket, which the index finds without reading the others. */
const WAITING = `
  select projection, greatest(0, extract(epoch from clock_timestamp() - min(oldest.marked_at)))::float8 as seconds
  from projection.version
    left join lateral (
      select first.marked_at
      from generate_series(0, ${BUCKETS - 1}) each_bucket (number)
        cross join lateral (
          select marked_at from projection.mark
          where mark.version = version.id and mark.bucket = number order by id limit 1
        ) first
    ) oldest on true
  where state = 'live'
  group by projection`;

/** A replica that has replayed everything it received has no lag, even if nothing was written for a long time. */
const REPLICA = `
  select case
    when not pg_is_in_recovery() then null
    when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() and exists (select from pg_stat_wal_receiver) then 0
    else extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())
  end::float8 as seconds`;

/** Reads how current every source and every one of the projections is. @param nowMs milliseconds since 1970 */
export async function readFreshness(
  pool: Pool,
  projections: readonly Projection[],
  nowMs: number,
): Promise<FreshnessReport> {
  const sources = await pool.query<SourceRow>({ name: 'freshness-of-sources', text: SOURCES });
  const connectors = await readConnectors(pool);
  const troubled = await readTroubledColumns(pool);
  const waiting = await pool.query<{ projection: string; seconds: number | null }>({
    name: 'waiting-marks',
    text: WAITING,
  });
  const replica = await pool.query<{ seconds: number | null }>({ name: 'replica-lag', text: REPLICA });
  return freshnessReport(
    {
      projections,
      sources: new Map(
        sources.rows.map(({ name, connector, kafka, apply, ...row }) => [
          name,
          {
            lastSeen: {
              changeMs: row.newest_change_at?.getTime() ?? null,
              heartbeatMs: connectors.get(row.source_connector ?? '')?.heartbeatMs ?? null,
            },
            connector: row.source_connector,
            lagSeconds: { connector, kafka, apply },
            peakLagSeconds: { connector: row.connector_peak, kafka: row.kafka_peak, apply: row.apply_peak },
            recent: { read: row.recent_read, older: row.recent_older },
            columnProblems: troubled.flatMap(({ source, problem }) =>
              source.table === name ? [problem] : [],
            ),
          },
        ]),
      ),
      connectors,
      waitingSeconds: new Map(waiting.rows.map(({ projection, seconds }) => [projection, seconds ?? 0])),
      replicaLagSeconds: replica.rows[0]?.seconds ?? null,
    },
    nowMs,
  );
}
