import type { Columns, RowOf } from '../../../projections/contracts/columns.ts';
import type { Source } from '../../../projections/contracts/contract.ts';

/** A row as a producer's table holds it, and the table. */
export interface SourceRow {
  readonly source: Source;
  readonly row: Readonly<Record<string, unknown>>;
}

/** Pairs a row with its source, checked against the contract. */
export const rowOf = <C extends Columns>(source: Source<C>, row: RowOf<C>): SourceRow => ({ source, row });

export const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
