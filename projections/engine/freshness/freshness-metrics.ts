import type { Pool } from 'pg';
import { liveMetrics, type MakeGauge } from '../../../infra/runtime/live-metrics.ts';
import type { MetricsSource } from '../../../infra/runtime/operations-server.ts';
import type { Projection } from '../projection.ts';
import { type Backlog, readBacklog } from './backlog.ts';
import { CONNECTOR_STATES } from './connectors.ts';
import type { FreshnessReport } from './freshness-report.ts';
import { readFreshness } from './read-freshness.ts';
import { COLUMN_PROBLEMS, readTroubledColumns, type TroubledColumn } from './source-columns.ts';
import { FRESHNESS_STATES } from './thresholds.ts';

/** Freshness and backlog, read from the database at each scrape. */
export const freshnessMetrics = (pool: Pool, projections: readonly Projection[]): MetricsSource =>
  liveMetrics({
    prefix: 'linernotes',
    up: { name: 'freshness_up', help: 'Whether freshness could be read from the database.' },
    async collect(gauge) {
      const report = await readFreshness(pool, projections, Date.now());
      const backlog = await readBacklog(pool);
      const troubled = await readTroubledColumns(pool);
      addSources(gauge, report);
      addColumns(gauge, report, troubled);
      addConnectors(gauge, report);
      addProjections(gauge, report);
      addBacklog(gauge, backlog);
    },
  });

function addSources(gauge: MakeGauge, { at, sources }: FreshnessReport): void {
  const inState = gauge('source_state', '1 for the state that the source is in.', 'source', 'state');
  const age = gauge('source_age_seconds', 'Age of its newest change or heartbeat.', 'source');
  const changeAge = gauge('source_change_age_seconds', 'Age of its newest change.', 'source');
  const lag = gauge('source_lag_seconds', 'Time that its changes spend in a stage now.', 'source', 'stage');
  const peak = gauge('source_lag_peak_seconds', 'The greatest of the last hour.', 'source', 'stage');
  const secondsSince = (instant: Date): number => (at.getTime() - instant.getTime()) / 1000;
  for (const { source, state, asOf, changedAt, lagSeconds, peakLagSeconds } of sources) {
    for (const each of FRESHNESS_STATES) inState.set({ source, state: each }, is(each, state));
    if (asOf !== null) age.set({ source }, secondsSince(asOf));
    if (changedAt !== null) changeAge.set({ source }, secondsSince(changedAt));
    for (const [stage, seconds] of Object.entries(lagSeconds)) {
      if (seconds !== null) lag.set({ source, stage }, seconds);
    }
    for (const [stage, seconds] of Object.entries(peakLagSeconds)) {
      if (seconds !== null) peak.set({ source, stage }, seconds);
    }
  }
}

function addColumns(
  gauge: MakeGauge,
  { sources }: FreshnessReport,
  troubled: readonly TroubledColumn[],
): void {
  const help = 'Columns of its contract that were dropped or changed, by what that does to its rows.';
  const columns = gauge('source_columns_changed', help, 'source', 'problem');
  for (const { source } of sources)
    for (const problem of COLUMN_PROBLEMS) columns.set({ source, problem }, 0);
  for (const { source, problem } of troubled) columns.inc({ source: source.table, problem });
}

function addConnectors(gauge: MakeGauge, { at, connectors }: FreshnessReport): void {
  const inState = gauge('connector_state', '1 for the state that the connector is in.', 'connector', 'state');
  const age = gauge('connector_heartbeat_age_seconds', 'Age of its newest heartbeat.', 'connector');
  const interval = gauge('connector_heartbeat_interval_seconds', 'Time between its heartbeats.', 'connector');
  for (const { connector, state, heartbeatAt, intervalSeconds } of connectors) {
    for (const each of CONNECTOR_STATES) inState.set({ connector, state: each }, is(each, state));
    if (heartbeatAt !== null) age.set({ connector }, (at.getTime() - heartbeatAt.getTime()) / 1000);
    if (intervalSeconds !== null) interval.set({ connector }, intervalSeconds);
  }
}

const is = (state: string, current: string): number => (state === current ? 1 : 0);

function addProjections(gauge: MakeGauge, { projections, replicaLagSeconds }: FreshnessReport): void {
  const inState = gauge('projection_state', '1 for the state that it is in.', 'projection', 'state');
  const lag = gauge('projection_lag_seconds', 'Age of the oldest change not projected.', 'projection');
  for (const { projection, state, lagSeconds } of projections) {
    for (const each of FRESHNESS_STATES) inState.set({ projection, state: each }, is(each, state));
    if (lagSeconds !== null) lag.set({ projection }, lagSeconds);
  }
  if (replicaLagSeconds === null) return;
  gauge('replica_lag_seconds', 'How far the database is behind the one it follows.').set(replicaLagSeconds);
}

const OUTCOMES = ['applied', 'older', 'equal', 'deadLetters', 'ignored'] as const;

function addBacklog(gauge: MakeGauge, { versions, deadLetters, records, unsweptRows }: Backlog): void {
  const marks = gauge('marks', 'Documents marked and not projected yet.', 'projection', 'state');
  for (const { projection, state, marks: count } of versions) marks.inc({ projection, state }, count);
  const open = gauge('dead_letters_open', 'Dead letters that wait for a decision.', 'source');
  for (const [source, count] of deadLetters) open.set({ source: source ?? 'unknown' }, count);
  const unswept = gauge('unswept_rows', 'Rows that a snapshot lacks and that wait for a decision.', 'source');
  for (const [source, count] of unsweptRows) unswept.set({ source }, count);
  const labels = ['group', 'topic', 'partition', 'source'] as const;
  const read = gauge('records_read', 'Records read. Those by outcome add up to it.', ...labels);
  const ended = gauge('records', 'Records by outcome.', ...labels, 'outcome');
  for (const { group, topic, partition, source, ...counts } of records) {
    const of = { group, topic, partition, source: source ?? 'none' };
    read.set(of, counts.read);
    for (const outcome of OUTCOMES) ended.set({ ...of, outcome }, counts[outcome]);
  }
}
