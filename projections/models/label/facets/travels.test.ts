import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  aboutLabel,
  boundLabel,
  clusterOnlyLabel,
  LABEL,
  labelFacetRows,
} from '../../../../test/support/rows/label.ts';
import { catalogLabelCoOwnership } from '../../../contracts/catalog/label-co-ownership.ts';
import type { Row } from '../../../contracts/contract.ts';
import { travels } from './travels.ts';

type Pair = Partial<Row<typeof catalogLabelCoOwnership>>;

const cluster = (number: number): string => number.toString(16).padStart(64, '0');

interface Related {
  readonly clusterId: string;
  readonly npmi: number;
  readonly support: number;
}

const build = (...pairs: Pair[]): { state: string; related: Related[] } =>
  travels.build(labelFacetRows(boundLabel, aboutLabel(catalogLabelCoOwnership, ...pairs))).value as {
    state: string;
    related: Related[];
  };

it('lists related labels and the path to each', () => {
  const other = cluster(2);
  for (const subject of [boundLabel, clusterOnlyLabel]) {
    const pairs = aboutLabel(
      catalogLabelCoOwnership,
      { other_cluster_id: other, other_label_name: 'Ninja Tune', npmi: 0.5, support: 5 },
      { other_cluster_id: cluster(3), npmi: -0.25, support: 12 },
    );
    expect(travels.build(labelFacetRows(subject, pairs))).toEqual({
      state: 'present',
      value: {
        state: 'present',
        related: [
          {
            clusterId: other,
            labelName: 'Ninja Tune',
            npmi: 0.5,
            support: 5,
            _links: { label: `/api/v2/label/${other}` },
          },
          {
            clusterId: cluster(3),
            labelName: null,
            npmi: -0.25,
            support: 12,
            _links: { label: `/api/v2/label/${cluster(3)}` },
          },
        ],
      },
    });
  }
});

it('withholds pairs with fewer than five collectors', () => {
  const { related } = build(
    { other_cluster_id: cluster(1), npmi: 0.9, support: 4 },
    { other_cluster_id: cluster(2), npmi: 0.1, support: 5 },
    { other_cluster_id: cluster(3), npmi: 0.8, support: 0 },
  );
  expect(related.map(({ clusterId }) => clusterId)).toEqual([cluster(2)]);
});

it('is empty if no pair has five collectors', () => {
  expect(build({ other_cluster_id: cluster(1), npmi: 0.9, support: 4 })).toEqual({
    state: 'empty',
    related: [],
  });
});

it('orders by affinity, then support, then id', () => {
  const { related } = build(
    { other_cluster_id: cluster(4), npmi: 0.2, support: 50 },
    { other_cluster_id: cluster(3), npmi: 0.7, support: 6 },
    { other_cluster_id: cluster(2), npmi: 0.7, support: 9 },
    { other_cluster_id: cluster(1), npmi: 0.7, support: 6 },
    { other_cluster_id: cluster(5), npmi: -0.1, support: 99 },
  );
  expect(related.map(({ clusterId }) => clusterId)).toEqual([2, 1, 3, 4, 5].map(cluster));
});

it('keeps the fifty nearest', () => {
  const pairs = Array.from({ length: 51 }, (_, index) => ({
    other_cluster_id: cluster(index),
    npmi: index / 100,
    support: 5,
  }));
  const { related } = build(...pairs);
  expect(related.map(({ clusterId }) => clusterId)).toEqual(
    Array.from({ length: 50 }, (_, index) => cluster(50 - index)),
  );
});

describe('for any rows', () => {
  const pair = fc.record({
    cluster_id: fc.constant(LABEL),
    npmi: fc.constantFrom(-0.5, 0, 0.25, 0.5),
    support: fc.nat(9),
  });
  const pairs = fc.array(pair, { maxLength: 80 });

  it('lists pairs of at least five collectors, at most fifty, by falling affinity, in any input order', () => {
    fc.assert(
      fc.property(pairs, fc.infiniteStream(fc.nat()), (rows, chance) => {
        const numbered = rows.map((row, index) => ({ ...row, other_cluster_id: cluster(index) }));
        const answer = build(...numbered);
        const { related } = answer;
        for (const { support } of related) expect(support).toBeGreaterThanOrEqual(5);
        const visible = rows.filter(({ support }) => support >= 5).length;
        expect(related).toHaveLength(Math.min(50, visible));
        const affinities = related.map(({ npmi }) => npmi);
        expect(affinities).toEqual(affinities.toSorted((a, b) => b - a));
        const shuffled = numbered
          .map((row) => ({ row, at: chance.next().value ?? 0 }))
          .toSorted((a, b) => a.at - b.at)
          .map(({ row }) => row);
        expect(build(...shuffled)).toEqual(answer);
      }),
    );
  });
});
