import { expect, it } from 'vitest';
import { breakHistory } from './break-odds.ts';

const DAY = '2019-06-30';
const at = (...days: string[]) => days.map((first_arrived_at) => ({ first_arrived_at }));

/** Odds at depth 2 of artists that all reached it on one day, some of which broke. */
function oddsOf(reached: number, broke: number, reachedAt = '2015-03-01', breakAt = '2015-09-01') {
  const history = breakHistory(DAY);
  for (let number = 0; number < reached; number++)
    history.add(at('2014-01-01', reachedAt), number < broke ? breakAt : null);
  return history.oddsAt(2);
}

it('is a share in percent, to one decimal', () => {
  expect(oddsOf(30, 3)).toBe(10);
  expect(oddsOf(31, 3)).toBe(9.7);
  expect(oddsOf(40, 1)).toBe(2.5);
  expect(oddsOf(80, 1)).toBe(1.3);
  expect(oddsOf(30, 0)).toBe(0);
  expect(oddsOf(30, 30)).toBe(100);
});

it('is unknown for fewer than 30 artists', () => {
  expect(oddsOf(29, 29)).toBeNull();
  expect(breakHistory(DAY).oddsAt(2)).toBeNull();
});

it('counts artists whose 12 months have passed, the last day included', () => {
  expect(oddsOf(30, 0, '2018-06-30')).toBe(0);
  expect(oddsOf(30, 0, '2018-07-01')).toBeNull();
});

it.each([
  ['on the day that the depth was reached', '2015-03-01', 100],
  ['the day before', '2015-02-28', 0],
  ['12 months after', '2016-03-01', 100],
  ['a day later', '2016-03-02', 0],
])('handles a break %s', (_name, breakAt, odds) => {
  expect(oddsOf(30, 30, '2015-03-01', breakAt)).toBe(odds);
});

it('ends the 12 months from a leap day with February', () => {
  expect(oddsOf(30, 30, '2016-02-29', '2017-02-28')).toBe(100);
  expect(oddsOf(30, 30, '2016-02-29', '2017-03-01')).toBe(0);
});

it('reaches each depth with the next arrival, in any input order', () => {
  const history = breakHistory(DAY);
  for (let number = 0; number < 30; number++)
    history.add(at('2016-01-01', '2012-01-01', '2014-01-01'), number < 6 ? '2014-02-01' : '2016-02-01');
  expect([1, 2, 3, 4].map(history.oddsAt)).toEqual([0, 20, 80, null]);
});
