import type { Pool } from 'pg';
import { type MakeGauge, metricsOfNow } from '../observe/metrics-of-now.ts';
import type { MetricsSource } from '../observe/operations-server.ts';
import { type Backlog, readBacklog } from './backlog.ts';
import type { FreshnessReport } from './freshness-report.ts';
import { readFreshness } from './read-freshness.ts';
import { FRESHNESS_STATES, type FreshnessState } from './thresholds.ts';

/** How current everything is and what waits. */
export const freshnessMetrics = (pool: Pool): MetricsSource =>
  metricsOfNow({
    prefix: 'linernotes',
    up: { name: 'freshness_up', help: 'Whether the database told how current everything is.' },
    async tell(gauge) {
      const report = await readFreshness(pool, Date.now());
      const backlog = await readBacklog(pool);
      addSources(gauge, report);
      addProjections(gauge, report);
      addBacklog(gauge, backlog);
    },
  });

function addSources(gauge: MakeGauge, { at, sources }: FreshnessReport): void {
  const inState = gauge('source_state', '1 for the state that the source is in.', 'source', 'state');
  const age = gauge('source_age_seconds', 'Age of its newest change or heartbeat.', 'source');
  const changeAge = gauge('source_change_age_seconds', 'Age of its newest change.', 'source');
  const lag = gauge('source_lag_seconds', 'Time that its changes spend in a stage.', 'source', 'stage');
  const secondsSince = (instant: Date): number => (at.getTime() - instant.getTime()) / 1000;
  for (const { source, state, asOf, changedAt, lagSeconds } of sources) {
    for (const each of FRESHNESS_STATES) inState.set({ source, state: each }, is(each, state));
    if (asOf !== null) age.set({ source }, secondsSince(asOf));
    if (changedAt !== null) changeAge.set({ source }, secondsSince(changedAt));
    for (const [stage, seconds] of Object.entries(lagSeconds)) {
      if (seconds !== null) lag.set({ source, stage }, seconds);
    }
  }
}

const is = (state: FreshnessState, current: FreshnessState): number => (state === current ? 1 : 0);

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

function addBacklog(gauge: MakeGauge, { versions, deadLetters }: Backlog): void {
  const marks = gauge('marks', 'Documents marked and not projected yet.', 'projection', 'state');
  for (const { projection, state, marks: count } of versions) marks.inc({ projection, state }, count);
  const letters = gauge('dead_letters_open', 'Records that wait for a decision.', 'source');
  for (const [source, count] of deadLetters) letters.set({ source: source ?? 'unknown' }, count);
}
