import fc from 'fast-check';
import type { Source } from '../../../projections/contracts/contract.ts';
import { artistHistory } from './artists.ts';
import { festivalHistory } from './festivals.ts';
import { labelHistory } from './labels.ts';
import { releaseHistory } from './releases.ts';
import type { HistoryRows } from './values.ts';

/** One thing a producer did to one of its tables. */
export interface ProducerChange {
  readonly source: Source;
  readonly kind: 'write' | 'delete' | 'truncate';
  /** The whole row for a write, the key alone for a delete. */
  readonly row: Readonly<Record<string, unknown>>;
  /** Columns that a write leaves out because they did not change. */
  readonly unavailable: readonly string[];
}

function rowChangeOf([source, rows]: HistoryRows): fc.Arbitrary<ProducerChange> {
  const keyOf = (row: Record<string, unknown>) =>
    Object.fromEntries(source.key.map((name) => [name, row[name]]));
  const optional = Object.keys(source.columns).filter(
    (name) => !source.key.includes(name) && source.columns[name]?.encoding === 'text',
  );
  return fc.oneof(
    {
      weight: 12,
      arbitrary: rows.map((row): ProducerChange => ({ source, kind: 'write', row, unavailable: [] })),
    },
    {
      weight: 3,
      arbitrary: fc.tuple(rows, fc.subarray(optional)).map(
        ([row, unavailable]): ProducerChange => ({
          source,
          kind: 'write',
          row,
          unavailable,
        }),
      ),
    },
    {
      weight: 4,
      arbitrary: rows.map(
        (row): ProducerChange => ({
          source,
          kind: 'delete',
          row: keyOf(row),
          unavailable: [],
        }),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constant<ProducerChange>({
        source,
        kind: 'truncate',
        row: {},
        unavailable: [],
      }),
    },
  );
}

const worlds = [artistHistory, labelHistory, festivalHistory, releaseHistory];

/** What several producers did, in the order of their logs; all to one part of the world, so that it adds up. */
export const history: fc.Arbitrary<ProducerChange[]> = fc.oneof(
  ...worlds.map((world) => fc.array(fc.oneof(...world.map(rowChangeOf)), { minLength: 1, maxLength: 60 })),
);
