import type { Pool } from 'pg';
import { dependentsOf } from '../../projections/dependents.ts';
import { readTroubledColumns } from '../../projections/engine/freshness/source-columns.ts';
import type { Print } from './command.ts';
import { printTable } from './print-table.ts';

export type TroubledLine = Awaited<ReturnType<typeof readTroubledLines>>[number];

/** The changed columns that harm rows, and what reads their tables. */
export async function readTroubledLines(pool: Pool) {
  const troubled = await readTroubledColumns(pool);
  return troubled.map(({ source, column, problem }) => ({
    source: source.table,
    column: column.name,
    problem,
    type: column.type,
    typeBefore: column.typeBefore,
    droppedAt: column.droppedMs === null ? null : new Date(column.droppedMs),
    maybeRenamedTo: column.renamedTo,
    ...dependentsOf(source),
  }));
}

export function printTroubledColumns(print: Print, lines: readonly TroubledLine[]): void {
  printTable(
    print,
    ['source', 'column', 'problem', 'type', 'typeBefore', 'droppedAt', 'maybeRenamedTo', 'facets'],
    lines.map((line) => ({ ...line, facets: line.facets.join(', ') })),
  );
}
