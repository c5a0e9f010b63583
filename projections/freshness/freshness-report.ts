import { projections } from '../index.ts';
import type { Projection } from '../projection.ts';
import type { Cadence, Source } from '../sources/contract.ts';
import { sources } from '../sources/index.ts';
import { type Activity, activityOf, type Heard, heardMs } from './activity.ts';
import {
  FRESHNESS_STATES,
  type FreshnessState,
  gravest,
  PROCESS_THRESHOLDS,
  sourceThresholds,
  stateOf,
  type Thresholds,
} from './thresholds.ts';

/** Seconds that changes spend in the stages before the mirror; null where none was measured. */
export interface IngestLags {
  /** From the producer's commit to the log; the greatest of the last seconds in which changes came. */
  readonly connector: number | null;
  /** From the log to the reader, likewise. */
  readonly kafka: number | null;
  /** From the reader to the mirror, likewise. */
  readonly apply: number | null;
}

interface StageLags extends IngestLags {
  /** How long the oldest change that is applied and not projected has waited. */
  readonly project: number | null;
}

export interface SourceFreshness extends Thresholds {
  readonly source: string;
  readonly cadence: Cadence;
  readonly state: FreshnessState;
  readonly activity: Activity;
  /** The instant up to which its facts are known: its newest change or heartbeat. */
  readonly asOf: Date | null;
  readonly changedAt: Date | null;
  readonly heartbeatAt: Date | null;
  readonly lagSeconds: StageLags;
}

export interface ProjectionFreshness extends Thresholds {
  readonly projection: string;
  /** Of the projecting itself; `unknown` where no version is served. */
  readonly state: FreshnessState;
  /** The instant up to which applied changes are in its documents. */
  readonly asOf: Date | null;
  readonly lagSeconds: number | null;
  /** How many of the sources it reads are in which state. */
  readonly sources: Readonly<Record<FreshnessState, number>>;
}

export interface FreshnessReport {
  /** The gravest of all states below. */
  readonly state: FreshnessState;
  readonly at: Date;
  /** How far the database that was asked is behind the one it follows; null where it follows none. */
  readonly replicaLagSeconds: number | null;
  readonly sources: readonly SourceFreshness[];
  readonly projections: readonly ProjectionFreshness[];
}

/** What the database tells of freshness. */
export interface Told {
  /** By table; a source that was never registered is missing. */
  readonly sources: ReadonlyMap<string, { readonly heard: Heard; readonly lagSeconds: IngestLags }>;
  /** For each projection that is served, the age of its oldest mark in seconds, 0 without any. */
  readonly waitingSeconds: ReadonlyMap<string, number>;
  readonly replicaLagSeconds: number | null;
}

const NEVER: Heard = { changeMs: null, heartbeatMs: null };
const UNMEASURED: IngestLags = { connector: null, kafka: null, apply: null };

/** Puts together how current everything is. @param nowMs milliseconds since 1970 */
export function freshnessReport(told: Told, nowMs: number): FreshnessReport {
  const ofSources = sources.map((source) => ofSource(source, told, nowMs));
  const states = new Map(ofSources.map(({ source, state }) => [source, state]));
  const ofProjections = projections.map((projection) => ofProjection(projection, states, told, nowMs));
  const { replicaLagSeconds } = told;
  return {
    state: gravest([
      ...ofSources.map(({ state }) => state),
      ...ofProjections.map(({ state }) => state),
      stateOf(replicaLagSeconds, PROCESS_THRESHOLDS),
    ]),
    at: new Date(nowMs),
    replicaLagSeconds,
    sources: ofSources,
    projections: ofProjections,
  };
}

const instant = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

function ofSource({ table, cadence }: Source, told: Told, nowMs: number): SourceFreshness {
  const { heard, lagSeconds } = told.sources.get(table) ?? { heard: NEVER, lagSeconds: UNMEASURED };
  const thresholds = sourceThresholds(cadence);
  const lastMs = heardMs(heard);
  return {
    source: table,
    cadence,
    state: stateOf(lastMs === null ? null : (nowMs - lastMs) / 1000, thresholds),
    activity: activityOf(heard, nowMs, thresholds.warnSeconds),
    asOf: instant(lastMs),
    changedAt: instant(heard.changeMs),
    heartbeatAt: instant(heard.heartbeatMs),
    lagSeconds: { ...lagSeconds, project: longestWait(table, told) },
    ...thresholds,
  };
}

const isReadBy = (table: string, { reads }: Projection): boolean =>
  reads.some(({ source }) => source.table === table);

/** Null where no projection that is served reads the source. */
function longestWait(table: string, { waitingSeconds }: Told): number | null {
  const waits = projections
    .filter((projection) => isReadBy(table, projection))
    .flatMap(({ name }) => waitingSeconds.get(name) ?? []);
  return waits.length === 0 ? null : Math.max(...waits);
}

function ofProjection(
  projection: Projection,
  states: ReadonlyMap<string, FreshnessState>,
  { waitingSeconds, replicaLagSeconds }: Told,
  nowMs: number,
): ProjectionFreshness {
  const lagSeconds = waitingSeconds.get(projection.name) ?? null;
  const counts = Object.fromEntries(FRESHNESS_STATES.map((state) => [state, 0])) as Record<
    FreshnessState,
    number
  >;
  for (const [table, state] of states) if (isReadBy(table, projection)) counts[state] += 1;
  return {
    projection: projection.name,
    state: stateOf(lagSeconds, PROCESS_THRESHOLDS),
    asOf: lagSeconds === null ? null : new Date(nowMs - (lagSeconds + (replicaLagSeconds ?? 0)) * 1000),
    lagSeconds,
    sources: counts,
    ...PROCESS_THRESHOLDS,
  };
}
