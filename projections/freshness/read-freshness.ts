import type { Pool } from 'pg';
import { BUCKETS } from '../store/mark.ts';
import { type FreshnessReport, freshnessReport } from './freshness-report.ts';

interface SourceRow {
  readonly name: string;
  readonly newest_change_at: Date | null;
  readonly newest_heartbeat_at: Date | null;
  readonly connector: number | null;
  readonly kafka: number | null;
  readonly apply: number | null;
}

const SOURCES = `
  select name, newest_change_at, newest_heartbeat_at, connector_lag_ms::float8 / 1000 as connector,
    kafka_lag_ms::float8 / 1000 as kafka, apply_lag_ms::float8 / 1000 as apply
  from ingest.source`;

/** The first mark of each bucket, which the index finds without going through the others. */
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

/** A replica that has replayed all it receives is up to date, though nothing may have been written for long. */
const REPLICA = `
  select case
    when not pg_is_in_recovery() then null
    when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() and exists (select from pg_stat_wal_receiver) then 0
    else extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())
  end::float8 as seconds`;

/** How current every source and every projection is, as the database behind `pool` shows it. */
export async function readFreshness(pool: Pool, nowMs: number): Promise<FreshnessReport> {
  const sources = await pool.query<SourceRow>({ name: 'freshness-of-sources', text: SOURCES });
  const waiting = await pool.query<{ projection: string; seconds: number | null }>({
    name: 'waiting-marks',
    text: WAITING,
  });
  const replica = await pool.query<{ seconds: number | null }>({ name: 'replica-lag', text: REPLICA });
  return freshnessReport(
    {
      sources: new Map(
        sources.rows.map(({ name, newest_change_at, newest_heartbeat_at, connector, kafka, apply }) => [
          name,
          {
            heard: {
              changeMs: newest_change_at?.getTime() ?? null,
              heartbeatMs: newest_heartbeat_at?.getTime() ?? null,
            },
            lagSeconds: { connector, kafka, apply },
          },
        ]),
      ),
      waitingSeconds: new Map(waiting.rows.map(({ projection, seconds }) => [projection, seconds ?? 0])),
      replicaLagSeconds: replica.rows[0]?.seconds ?? null,
    },
    nowMs,
  );
}
