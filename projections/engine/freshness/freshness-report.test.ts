import { describe, expect, it } from 'vitest';
import { STALE_AFTER_SECONDS } from '../../contracts/contract.ts';
import { artistMomentum } from '../../contracts/seen/artist-momentum.ts';
import { projections } from '../../index.ts';
import { artistProjection } from '../../models/artist/project.ts';
import { activityOf } from './activity.ts';
import type { ConnectorState } from './connectors.ts';
import {
  type FreshnessFacts,
  freshnessReport,
  type IngestLags,
  type SourceFacts,
} from './freshness-report.ts';
import type { ColumnProblem } from './source-columns.ts';
import { PROCESS_THRESHOLDS, sourceThresholds, stateOf, worstState } from './thresholds.ts';

const NOW = Date.UTC(2026, 5, 1);
const DAY_MS = 86_400_000;

const NO_FACTS: FreshnessFacts = {
  projections,
  sources: new Map(),
  connectors: new Map(),
  waitingSeconds: new Map(),
  replicaLagSeconds: null,
};
const UNMEASURED: IngestLags = { connector: null, kafka: null, apply: null };

describe('the state of an age', () => {
  it('is stale after the limit of the contract, and an error after twice that', () => {
    expect(sourceThresholds('daily')).toEqual({ warnSeconds: 172_800, errorSeconds: 345_600 });
    expect(sourceThresholds('realtime')).toEqual({ warnSeconds: 300, errorSeconds: 600 });
    const thresholds = sourceThresholds('hourly');
    expect(thresholds.warnSeconds).toBe(STALE_AFTER_SECONDS.hourly);
    for (const [age, state] of [
      [null, 'unknown'],
      [-60, 'fresh'],
      [7_200, 'fresh'],
      [7_200.001, 'warn'],
      [14_400, 'warn'],
      [14_400.001, 'error'],
    ] as const) {
      expect(stateOf(age, thresholds), String(age)).toBe(state);
    }
  });

  it('is the worst of several, ignoring unknown ones', () => {
    expect(worstState(['fresh', 'unknown', 'warn'])).toBe('warn');
    expect(worstState(['fresh', 'error', 'warn'])).toBe('error');
    expect(worstState(['unknown', 'fresh'])).toBe('fresh');
    expect(worstState(['unknown', 'unknown'])).toBe('unknown');
    expect(worstState([])).toBe('unknown');
  });
});

describe('the activity of a source', () => {
  const activity = (
    changeMs: number | null,
    heartbeatMs: number | null,
    connector: ConnectorState = 'unknown',
  ) => activityOf({ changeMs, heartbeatMs }, NOW, { connector, staleSeconds: 300 });
  const recent = NOW - 300_000;
  const old = NOW - 300_001;

  it('distinguishes a quiet source from a dead one by heartbeats', () => {
    expect(activity(recent, null)).toBe('active');
    expect(activity(recent, recent)).toBe('active');
    expect(activity(old, recent)).toBe('quiet');
    expect(activity(null, recent)).toBe('quiet');
    expect(activity(old, old)).toBe('dead');
    expect(activity(old, null)).toBe('dead');
    expect(activity(null, old)).toBe('dead');
    expect(activity(null, null)).toBe('unknown');
  });

  it('is silent or dead with its connector, however recent its changes', () => {
    expect(activity(recent, recent, 'alive')).toBe('active');
    expect(activity(recent, recent, 'silent')).toBe('silent');
    expect(activity(recent, recent, 'dead')).toBe('dead');
    expect(activity(old, old, 'alive')).toBe('dead');
  });
});

describe('a report', () => {
  const sourceIn = (facts: FreshnessFacts) =>
    freshnessReport(facts, NOW).sources.find(({ source }) => source === artistMomentum.table);
  const projectionIn = (facts: FreshnessFacts) =>
    freshnessReport(facts, NOW).projections.find(({ projection }) => projection === artistProjection.name);
  const momentum = (
    changeMs: number | null,
    heartbeatMs: number | null,
    {
      lagSeconds = UNMEASURED,
      recent = { read: 0, older: 0 },
      columnProblems = [],
    }: Partial<Pick<SourceFacts, 'lagSeconds' | 'recent' | 'columnProblems'>> = {},
  ): FreshnessFacts => ({
    ...NO_FACTS,
    sources: new Map([
      [
        artistMomentum.table,
        {
          lastSeen: { changeMs, heartbeatMs },
          connector: 'producers',
          lagSeconds,
          peakLagSeconds: UNMEASURED,
          recent,
          columnProblems,
        },
      ],
    ]),
  });

  it('warns of a dropped column, and is an error while rows fail for a column', () => {
    const stateWith = (...columnProblems: ColumnProblem[]) =>
      sourceIn(momentum(NOW, NOW, { columnProblems }))?.state;
    expect(stateWith()).toBe('fresh');
    for (const problem of ['stale', 'unreadable', 'may_be_null'] as const)
      expect(stateWith(problem)).toBe('warn');
    expect(stateWith('stale', 'failing')).toBe('error');
  });

  it('is unknown for sources that never sent anything', () => {
    const report = freshnessReport(NO_FACTS, NOW);
    expect(report.state).toBe('unknown');
    expect(report.at).toEqual(new Date(NOW));
    expect(sourceIn(NO_FACTS)).toEqual({
      source: 'seen.artist_momentum',
      cadence: 'daily',
      state: 'unknown',
      activity: 'unknown',
      asOf: null,
      changedAt: null,
      heartbeatAt: null,
      connector: null,
      lagSeconds: { ...UNMEASURED, project: null },
      peakLagSeconds: UNMEASURED,
      warnSeconds: 172_800,
      errorSeconds: 345_600,
    });
    expect(projectionIn(NO_FACTS)).toMatchObject({ state: 'unknown', asOf: null, lagSeconds: null });
  });

  it('dates a source by its newest change or heartbeat', () => {
    const changeMs = NOW - 10 * DAY_MS;
    expect(sourceIn(momentum(changeMs, NOW - 1_000))).toMatchObject({
      state: 'fresh',
      activity: 'quiet',
      asOf: new Date(NOW - 1_000),
      changedAt: new Date(changeMs),
    });
    expect(sourceIn(momentum(changeMs, null))).toMatchObject({
      state: 'error',
      activity: 'dead',
      asOf: new Date(changeMs),
      heartbeatAt: null,
    });
    expect(sourceIn(momentum(NOW - 3 * DAY_MS, null))?.state).toBe('warn');
    expect(freshnessReport(momentum(NOW - 3 * DAY_MS, null), NOW).state).toBe('warn');
  });

  it('rates a source by its connector at once, however slow its cadence', () => {
    const facts = (silentMs: number, intervalMs: number | null = 10_000): FreshnessFacts => {
      const heartbeatMs = NOW - silentMs;
      const connector = { name: 'producers', heartbeatMs, changeMs: heartbeatMs - DAY_MS, intervalMs };
      const others = { ...connector, name: 'others', heartbeatMs: NOW };
      return {
        ...momentum(heartbeatMs - DAY_MS, heartbeatMs),
        connectors: new Map([connector, others].map((one) => [one.name, one])),
      };
    };
    const stateOfSource = (...args: Parameters<typeof facts>) => {
      const { state, activity, connector } = sourceIn(facts(...args)) ?? {};
      return [state, activity, connector];
    };
    expect(stateOfSource(10_000)).toEqual(['fresh', 'active', 'producers']);
    expect(stateOfSource(36_000)).toEqual(['warn', 'silent', 'producers']);
    expect(stateOfSource(106_000)).toEqual(['error', 'dead', 'producers']);
    expect(stateOfSource(106_000, null)).toEqual(['fresh', 'active', 'producers']);
    const report = freshnessReport(facts(106_000), NOW);
    expect(report.state).toBe('error');
    expect(report.connectors).toEqual([
      { connector: 'others', state: 'alive', heartbeatAt: new Date(NOW), intervalSeconds: 10, sources: 0 },
      {
        connector: 'producers',
        state: 'dead',
        heartbeatAt: new Date(NOW - 106_000),
        intervalSeconds: 10,
        sources: 1,
      },
    ]);
  });

  it('warns of a source whose newest records are older than the stored rows', () => {
    const stateWith = (read: number, older: number, changeMs = NOW) =>
      sourceIn(momentum(changeMs, null, { recent: { read, older } }))?.state;
    expect(stateWith(3, 3)).toBe('warn');
    expect(stateWith(2, 2)).toBe('fresh');
    expect(stateWith(100, 6)).toBe('warn');
    expect(stateWith(100, 5)).toBe('fresh');
    expect(stateWith(3, 3, NOW - 10 * DAY_MS)).toBe('error');
  });

  it('adds the longest wait of the read models of a source to its lags', () => {
    const lagSeconds = { connector: 0.5, kafka: 2, apply: 0.1 };
    const facts = {
      ...momentum(NOW, null, { lagSeconds }),
      waitingSeconds: new Map([
        ['artist', 3],
        ['festival', 90],
        ['label', 5_000],
      ]),
    };
    // No label read model depends on it.
    expect(sourceIn(facts)?.lagSeconds).toEqual({ ...lagSeconds, project: 90 });
  });

  it('rates a projection by its oldest waiting change, not by its sources', () => {
    const { warnSeconds, errorSeconds } = PROCESS_THRESHOLDS;
    const facts = (seconds: number): FreshnessFacts => ({
      ...momentum(NOW - 10 * DAY_MS, null),
      waitingSeconds: new Map([['artist', seconds]]),
    });
    const artist = projectionIn(facts(0));
    expect(artist).toMatchObject({
      state: 'fresh',
      asOf: new Date(NOW),
      lagSeconds: 0,
      warnSeconds,
      errorSeconds,
    });
    expect(artist?.sources).toMatchObject({ fresh: 0, warn: 0, error: 1 });
    expect(artist?.sources.unknown).toBe(
      new Set(artistProjection.reads.map(({ source }) => source.table)).size - 1,
    );
    expect(projectionIn(facts(61))).toMatchObject({ state: 'warn', asOf: new Date(NOW - 61_000) });
    expect(projectionIn(facts(301))?.state).toBe('error');
    expect(freshnessReport(facts(301), NOW).state).toBe('error');
  });

  it('adds the lag of a replica', () => {
    const facts: FreshnessFacts = {
      ...NO_FACTS,
      waitingSeconds: new Map([['artist', 2]]),
      replicaLagSeconds: 400,
    };
    expect(projectionIn(facts)).toMatchObject({
      lagSeconds: 2,
      asOf: new Date(NOW - 402_000),
      state: 'fresh',
    });
    expect(freshnessReport(facts, NOW)).toMatchObject({ replicaLagSeconds: 400, state: 'error' });
  });
});
