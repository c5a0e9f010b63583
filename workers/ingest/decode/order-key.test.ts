import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { date, hex, int, nullable, num, text, ts } from '../../../projections/contracts/columns.ts';
import { defineSource, type Source } from '../../../projections/contracts/contract.ts';
import { sources } from '../../../projections/contracts/index.ts';
import { clusterAuthorityIdsV1 } from '../../../projections/contracts/mirror/cluster-authority-ids-v1.ts';
import { masterPropagationTimelineCluster } from '../../../projections/contracts/seen/master-propagation-timeline-cluster.ts';
import { orderKey } from './row-key.ts';

const columns = {
  cluster_id: hex(),
  id: text(),
  label: text(),
  plays: int(),
  day: date(),
  at: ts(),
  score: num(),
  maybe: nullable(int()),
};

function ordered(column: keyof typeof columns, direction: 'asc' | 'desc'): Source {
  return defineSource({
    table: 'seen.test',
    owner: 'seen',
    subject: { kind: 'artist', column: 'cluster_id' },
    key: ['id'],
    surface: { grain: 'cluster-multirow', order: [{ column, direction }] },
    cadence: 'daily',
    tier: 'derived',
    columns,
  });
}

const byBytes = (one: string, other: string): number =>
  Math.sign(Buffer.compare(Buffer.from(one), Buffer.from(other)));

describe('orderKey', () => {
  const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  it.each(['asc', 'desc'] as const)('sorts integers %s', (direction) => {
    const order = orderKey(ordered('plays', direction));
    fc.assert(
      fc.property(int64, int64, (one, other) => {
        const expected = one === other ? 0 : one < other === (direction === 'asc') ? -1 : 1;
        expect(byBytes(order.of([`${one}`]), order.of([`${other}`]))).toBe(expected);
      }),
    );
    expect(order.of(['7'])).toHaveLength(20);
  });

  it.each(['asc', 'desc'] as const)('sorts days and instants %s', (direction) => {
    const sign = direction === 'asc' ? -1 : 1;
    expect(byBytes(...pair(ordered('day', direction), '2019-06-30', '2020-01-01'))).toBe(sign);
    expect(byBytes(...pair(ordered('at', direction), '2019-06-30T23:59:59Z', '2019-07-01T00:00:00Z'))).toBe(
      sign,
    );
  });

  it('sorts several texts by code point, each before the next', () => {
    const order = orderKey(clusterAuthorityIdsV1);
    const part = fc
      .array(fc.constantFrom('a', 'b', '\u0001', '\u0002', 'é', '𝄞', '\uffff'))
      .map((parts) => parts.join(''));
    const values = fc.tuple(part, part);
    fc.assert(
      fc.property(values, values, (one, other) => {
        const expected = byBytes(one[0], other[0]) || byBytes(one[1], other[1]);
        expect(byBytes(order.of(one), order.of(other))).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it('breaks ties by integer keys as integers', () => {
    const order = orderKey(masterPropagationTimelineCluster);
    expect(order.columns).toEqual(['first_seen_at', 'master_id', 'channel']);
    expect(byBytes(order.of(['2019-01-01', '9', 'radio']), order.of(['2019-01-01', '10', 'dj']))).toBe(-1);
  });

  it('is empty without an order', () => {
    expect(orderKey({ ...ordered('plays', 'asc'), surface: null }).of([])).toBe('');
  });

  it('rejects orders that it cannot express', () => {
    expect(() => orderKey(ordered('label', 'desc'))).toThrow(/descending/);
    expect(() => orderKey(ordered('score', 'asc'))).toThrow(/cannot be ordered by score/);
    expect(() => orderKey(ordered('maybe', 'asc'))).toThrow(/cannot be ordered or keyed by maybe/);
  });

  it('fits for every source', () => {
    for (const source of sources) expect(() => orderKey(source)).not.toThrow();
  });
});

function pair(source: Source, one: string, other: string): [string, string] {
  const order = orderKey(source);
  return [order.of([one]), order.of([other])];
}
