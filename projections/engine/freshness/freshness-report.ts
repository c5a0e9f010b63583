import type { Cadence, Source } from '../../contracts/contract.ts';
import { sources } from '../../contracts/index.ts';
import type { Projection } from '../projection.ts';
import { type Activity, activityOf, type LastSeen, lastSeenMs } from './activity.ts';
import { type Connector, type ConnectorState, connectorState } from './connectors.ts';
import { type ColumnProblem, STATE_OF_PROBLEM } from './source-columns.ts';
import {
  FRESHNESS_STATES,
  type FreshnessState,
  PROCESS_THRESHOLDS,
  type RecentRecords,
  sourceThresholds,
  stateOf,
  stateOfRecords,
  type Thresholds,
  worstState,
} from './thresholds.ts';

/** Seconds that changes spend in the stages before the mirror; null if never measured. */
export interface IngestLags {
  /** From the producer's commit to the log. */
  readonly connector: number | null;
  /** From the log to the reader. */
  readonly kafka: number | null;
  /** From the reader to the mirror. */
  readonly apply: number | null;
}

interface StageLags extends IngestLags {
  /** How long the oldest change that is applied but not projected has waited. */
  readonly project: number | null;
}

export interface SourceFreshness extends Thresholds {
  readonly source: string;
  readonly cadence: Cadence;
  /**
   * Of its age; at least `warn` while many of its newest records are older than the stored rows, its connector is silent
   * or a column of its contract was dropped, and `error` while its connector is dead or a changed column makes rows fail.
   */
  readonly state: FreshnessState;
  /** The connector that feeds it; null if none is known. */
  readonly connector: string | null;
  readonly activity: Activity;
  /** The instant up to which its facts are known: its newest change or heartbeat. */
  readonly asOf: Date | null;
  readonly changedAt: Date | null;
  readonly heartbeatAt: Date | null;
  /** Now: the greatest of the last seconds; 0 while nothing comes and nothing waits. */
  readonly lagSeconds: StageLags;
  /** The greatest of the last hour. */
  readonly peakLagSeconds: IngestLags;
}

interface ConnectorFreshness {
  readonly connector: string;
  readonly state: ConnectorState;
  readonly heartbeatAt: Date | null;
  /** The time between its heartbeats; null while it is unknown. */
  readonly intervalSeconds: number | null;
  /** How many sources it feeds. */
  readonly sources: number;
}

export interface ProjectionFreshness extends Thresholds {
  readonly projection: string;
  /** Of the projection's own lag; `unknown` without a live version. */
  readonly state: FreshnessState;
  /** The instant up to which applied changes are in its documents. */
  readonly asOf: Date | null;
  readonly lagSeconds: number | null;
  /** The number of its sources in each state. */
  readonly sources: Readonly<Record<FreshnessState, number>>;
}

export interface FreshnessReport {
  /** The worst of all states below. */
  readonly state: FreshnessState;
  readonly at: Date;
  /** How far this replica is behind its primary; null on a primary. */
  readonly replicaLagSeconds: number | null;
  readonly sources: readonly SourceFreshness[];
  readonly connectors: readonly ConnectorFreshness[];
  readonly projections: readonly ProjectionFreshness[];
}

/** The inputs of a report: the read models of this release, and the state of them and their sources in the database. */
export interface FreshnessFacts {
  readonly projections: readonly Projection[];
  /** By table; a source that was never registered is missing. */
  readonly sources: ReadonlyMap<string, SourceFacts>;
  /** By name. */
  readonly connectors: ReadonlyMap<string, Connector>;
  /** For each projection with a live version, the age of its oldest dirty mark in seconds; 0 without one. */
  readonly waitingSeconds: ReadonlyMap<string, number>;
  readonly replicaLagSeconds: number | null;
}

export interface SourceFacts {
  readonly lastSeen: LastSeen;
  readonly connector: string | null;
  readonly lagSeconds: IngestLags;
  readonly peakLagSeconds: IngestLags;
  readonly recent: RecentRecords;
  /** Of its changed columns. */
  readonly columnProblems: readonly ColumnProblem[];
}

const UNMEASURED: IngestLags = { connector: null, kafka: null, apply: null };
const NEVER_SEEN: SourceFacts = {
  lastSeen: { changeMs: null, heartbeatMs: null },
  connector: null,
  lagSeconds: UNMEASURED,
  peakLagSeconds: UNMEASURED,
  recent: { read: 0, older: 0 },
  columnProblems: [],
};

/** Reports how current every source and projection is. @param nowMs milliseconds since 1970 */
export function freshnessReport(facts: FreshnessFacts, nowMs: number): FreshnessReport {
  const ofSources = sources.map((source) => ofSource(source, facts, nowMs));
  const ofProjections = facts.projections.map((projection) => ({
    ...ofProjection(projection, facts, nowMs),
    sources: countStates(ofSources.filter(({ source }) => isReadBy(source, projection))),
  }));
  const { replicaLagSeconds } = facts;
  return {
    state: worstState([
      ...ofSources.map(({ state }) => state),
      ...ofProjections.map(({ state }) => state),
      stateOf(replicaLagSeconds, PROCESS_THRESHOLDS),
    ]),
    at: new Date(nowMs),
    replicaLagSeconds,
    sources: ofSources,
    connectors: [...facts.connectors.values()]
      .map((connector) => ofConnector(connector, facts, nowMs))
      .sort((a, b) => (a.connector < b.connector ? -1 : 1)),
    projections: ofProjections,
  };
}

const ofConnector = (
  connector: Connector,
  { sources }: FreshnessFacts,
  nowMs: number,
): ConnectorFreshness => ({
  connector: connector.name,
  state: connectorState(connector, nowMs),
  heartbeatAt: instant(connector.heartbeatMs),
  intervalSeconds: connector.intervalMs === null ? null : connector.intervalMs / 1000,
  sources: [...sources.values()].filter((source) => source.connector === connector.name).length,
});

/** Of a source, by its connector. */
const STATE_BY_CONNECTOR: Readonly<Record<ConnectorState, FreshnessState>> = {
  alive: 'fresh',
  silent: 'warn',
  dead: 'error',
  unknown: 'fresh',
};

const instant = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

function ofSource({ table, cadence }: Source, facts: FreshnessFacts, nowMs: number): SourceFreshness {
  const known = facts.sources.get(table) ?? NEVER_SEEN;
  const { lastSeen, connector: name, lagSeconds, peakLagSeconds, recent, columnProblems } = known;
  const feeding = name === null ? undefined : facts.connectors.get(name);
  const connector = feeding === undefined ? 'unknown' : connectorState(feeding, nowMs);
  const thresholds = sourceThresholds(cadence);
  const lastMs = lastSeenMs(lastSeen);
  return {
    source: table,
    cadence,
    state: worstState([
      ...(lastMs === null
        ? []
        : [
            stateOf((nowMs - lastMs) / 1000, thresholds),
            stateOfRecords(recent),
            STATE_BY_CONNECTOR[connector],
          ]),
      ...columnProblems.map((problem) => STATE_OF_PROBLEM[problem]),
    ]),
    connector: name,
    activity: activityOf(lastSeen, nowMs, { connector, staleSeconds: thresholds.warnSeconds }),
    asOf: instant(lastMs),
    changedAt: instant(lastSeen.changeMs),
    heartbeatAt: instant(lastSeen.heartbeatMs),
    lagSeconds: { ...lagSeconds, project: longestWait(table, facts) },
    peakLagSeconds,
    ...thresholds,
  };
}

const isReadBy = (table: string, { reads }: Projection): boolean =>
  reads.some(({ source }) => source.table === table);

/** Null if no live version reads the source. */
function longestWait(table: string, { projections, waitingSeconds }: FreshnessFacts): number | null {
  const waits = projections
    .filter((projection) => isReadBy(table, projection))
    .flatMap(({ name }) => waitingSeconds.get(name) ?? []);
  return waits.length === 0 ? null : Math.max(...waits);
}

function ofProjection(
  { name }: Projection,
  { waitingSeconds, replicaLagSeconds }: FreshnessFacts,
  nowMs: number,
): Omit<ProjectionFreshness, 'sources'> {
  const lagSeconds = waitingSeconds.get(name) ?? null;
  return {
    projection: name,
    state: stateOf(lagSeconds, PROCESS_THRESHOLDS),
    asOf: lagSeconds === null ? null : new Date(nowMs - (lagSeconds + (replicaLagSeconds ?? 0)) * 1000),
    lagSeconds,
    ...PROCESS_THRESHOLDS,
  };
}

function countStates(all: readonly SourceFreshness[]): Record<FreshnessState, number> {
  const counts = Object.fromEntries(FRESHNESS_STATES.map((state) => [state, 0])) as Record<
    FreshnessState,
    number
  >;
  for (const { state } of all) counts[state] += 1;
  return counts;
}
