import { describe, expect, it } from 'vitest';
import { artistProjection } from '../artist/project.ts';
import { STALE_AFTER_SECONDS } from '../sources/contract.ts';
import { artistMomentum } from '../sources/seen/artist-momentum.ts';
import { activityOf } from './activity.ts';
import { freshnessReport, type IngestLags, type Told } from './freshness-report.ts';
import { gravest, PROCESS_THRESHOLDS, sourceThresholds, stateOf } from './thresholds.ts';

const NOW = Date.UTC(2026, 5, 1);
const DAY_MS = 86_400_000;

const NOTHING_TOLD: Told = { sources: new Map(), waitingSeconds: new Map(), replicaLagSeconds: null };
const UNMEASURED: IngestLags = { connector: null, kafka: null, apply: null };

describe('the state of an age', () => {
  it('turns stale with the contract, and at fault at twice that', () => {
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

  it('is the gravest of several, in which the unknown weighs nothing', () => {
    expect(gravest(['fresh', 'unknown', 'warn'])).toBe('warn');
    expect(gravest(['fresh', 'error', 'warn'])).toBe('error');
    expect(gravest(['unknown', 'fresh'])).toBe('fresh');
    expect(gravest(['unknown', 'unknown'])).toBe('unknown');
    expect(gravest([])).toBe('unknown');
  });
});

describe('the activity of a source', () => {
  const activity = (changeMs: number | null, heartbeatMs: number | null) =>
    activityOf({ changeMs, heartbeatMs }, NOW, 300);
  const recent = NOW - 300_000;
  const old = NOW - 300_001;

  it('tells the quiet from the dead by heartbeats', () => {
    expect(activity(recent, null)).toBe('active');
    expect(activity(recent, recent)).toBe('active');
    expect(activity(old, recent)).toBe('quiet');
    expect(activity(null, recent)).toBe('quiet');
    expect(activity(old, old)).toBe('dead');
    expect(activity(old, null)).toBe('dead');
    expect(activity(null, old)).toBe('dead');
    expect(activity(null, null)).toBe('unknown');
  });
});

describe('a report', () => {
  const sourceIn = (told: Told) =>
    freshnessReport(told, NOW).sources.find(({ source }) => source === artistMomentum.table);
  const projectionIn = (told: Told) =>
    freshnessReport(told, NOW).projections.find(({ projection }) => projection === artistProjection.name);
  const momentum = (changeMs: number | null, heartbeatMs: number | null, lagSeconds = UNMEASURED): Told => ({
    ...NOTHING_TOLD,
    sources: new Map([[artistMomentum.table, { heard: { changeMs, heartbeatMs }, lagSeconds }]]),
  });

  it('knows nothing of what was never heard of', () => {
    const report = freshnessReport(NOTHING_TOLD, NOW);
    expect(report.state).toBe('unknown');
    expect(report.at).toEqual(new Date(NOW));
    expect(sourceIn(NOTHING_TOLD)).toEqual({
      source: 'seen.artist_momentum',
      cadence: 'daily',
      state: 'unknown',
      activity: 'unknown',
      asOf: null,
      changedAt: null,
      heartbeatAt: null,
      lagSeconds: { ...UNMEASURED, project: null },
      warnSeconds: 172_800,
      errorSeconds: 345_600,
    });
    expect(projectionIn(NOTHING_TOLD)).toMatchObject({ state: 'unknown', asOf: null, lagSeconds: null });
  });

  it('takes a source as of its newest sign of life', () => {
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

  it('adds to the lags of a source the longest wait of the read models it feeds', () => {
    const lagSeconds = { connector: 0.5, kafka: 2, apply: 0.1 };
    const told = {
      ...momentum(NOW, null, lagSeconds),
      waitingSeconds: new Map([
        ['artist', 3],
        ['festival', 90],
        ['label', 5_000],
      ]),
    };
    // No label reads it.
    expect(sourceIn(told)?.lagSeconds).toEqual({ ...lagSeconds, project: 90 });
  });

  it('judges a projection by its oldest waiting change, not by its sources', () => {
    const { warnSeconds, errorSeconds } = PROCESS_THRESHOLDS;
    const told = (seconds: number): Told => ({
      ...momentum(NOW - 10 * DAY_MS, null),
      waitingSeconds: new Map([['artist', seconds]]),
    });
    const artist = projectionIn(told(0));
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
    expect(projectionIn(told(61))).toMatchObject({ state: 'warn', asOf: new Date(NOW - 61_000) });
    expect(projectionIn(told(301))?.state).toBe('error');
    expect(freshnessReport(told(301), NOW).state).toBe('error');
  });

  it('counts what a replica is behind', () => {
    const told: Told = { ...NOTHING_TOLD, waitingSeconds: new Map([['artist', 2]]), replicaLagSeconds: 400 };
    expect(projectionIn(told)).toMatchObject({
      lagSeconds: 2,
      asOf: new Date(NOW - 402_000),
      state: 'fresh',
    });
    expect(freshnessReport(told, NOW)).toMatchObject({ replicaLagSeconds: 400, state: 'error' });
  });
});
