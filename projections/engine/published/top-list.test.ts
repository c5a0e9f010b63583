import { expect, it } from 'vitest';
import { ascending, descending } from '../order.ts';
import { topList } from './top-list.ts';

it('keeps the first rows of any input order', () => {
  const rows = Array.from({ length: 1_000 }, (_, id) => ({ id, score: (id * 7_919) % 101 }));
  const orders = [
    descending((row: { score: number }) => row.score),
    ascending((row: { id: number }) => row.id),
  ];
  const expected = rows.toSorted((a, b) => b.score - a.score || a.id - b.id).slice(0, 7);
  for (const given of [rows, rows.toReversed()]) {
    const list = topList<{ id: number; score: number }>(7, ...orders);
    for (const row of given) list.add(row);
    expect(list.rows()).toEqual(expected);
  }
});

it('returns all rows if there are fewer', () => {
  const list = topList<number>(
    3,
    ascending((number: number) => number),
  );
  expect(list.rows()).toEqual([]);
  list.add(2);
  list.add(1);
  expect(list.rows()).toEqual([1, 2]);
});
