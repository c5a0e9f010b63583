import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  aboutLabel,
  boundLabel,
  clusterOnlyLabel,
  labelFacetRows,
} from '../../../../test/support/rows/label.ts';
import { labelDjsetMomentum } from '../../../contracts/seen/label-djset-momentum.ts';
import { djMomentum, velocityOf } from './dj-momentum.ts';

const plays = aboutLabel(labelDjsetMomentum, {
  play_count: 40,
  distinct_djs: 7,
  distinct_artists: 12,
  distinct_tracklists: 30,
  first_played_at: '2012-02-29',
  last_played_at: '2019-06-30',
  plays_last_365d: 10,
});

it('carries the row and the share of the last year', () => {
  for (const subject of [boundLabel, clusterOnlyLabel]) {
    expect(djMomentum.build(labelFacetRows(subject, plays)).value).toEqual({
      state: 'present',
      signals: {
        playCount: 40,
        distinctDjs: 7,
        distinctArtists: 12,
        distinctTracklists: 30,
        firstPlayedAt: '2012-02-29',
        lastPlayedAt: '2019-06-30',
        playsLast365d: 10,
        velocity: 0.25,
      },
    });
  }
});

it('is a gap if plays were never counted or are zero', () => {
  const gap = { state: 'honest_gap', value: { state: 'honest_gap', signals: null } };
  const none = aboutLabel(labelDjsetMomentum, { play_count: 0, distinct_djs: 0, plays_last_365d: 0 });
  for (const subject of [boundLabel, clusterOnlyLabel]) {
    expect(djMomentum.build(labelFacetRows(subject))).toEqual(gap);
    expect(djMomentum.build(labelFacetRows(subject, aboutLabel(labelDjsetMomentum)))).toEqual(gap);
    expect(djMomentum.build(labelFacetRows(subject, none))).toEqual(gap);
  }
});

it('keeps a label with only old plays', () => {
  const old = aboutLabel(labelDjsetMomentum, { play_count: 3, plays_last_365d: 0 });
  expect(djMomentum.build(labelFacetRows(boundLabel, old)).value).toMatchObject({
    state: 'present',
    signals: { playCount: 3, playsLast365d: 0, velocity: 0, firstPlayedAt: null, lastPlayedAt: null },
  });
});

it.each([
  [0, 4, 0],
  [1, 4, 0.25],
  [4, 4, 1],
  [5, 4, 1],
  [-1, 4, 0],
  [0, 0, null],
  [3, 0, null],
])('%i of %i plays are a velocity of %j', (lastYear, all, velocity) => {
  expect(velocityOf(lastYear, all)).toBe(velocity);
});

it('is a share for any counts', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer(), (lastYear, all) => {
      const velocity = velocityOf(lastYear, all);
      if (all <= 0) expect(velocity).toBeNull();
      else expect(velocity).toSatisfy((share: number) => share >= 0 && share <= 1);
    }),
  );
});
