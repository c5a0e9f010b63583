import type { Logger } from 'pino';
import { dependentsOf } from '../../../projections/dependents.ts';
import { problemOf } from '../../../projections/engine/freshness/source-columns.ts';
import type { NotedColumns } from '../apply/note-columns.ts';
import { countColumnChange } from '../metrics.ts';

/** Logs and counts how the columns of a producer's table changed, with what reads the table. */
export function reportColumns(log: Logger, { source, changes, columns }: NotedColumns): void {
  const { readModels, facets } = dependentsOf(source);
  for (const { kind, name, before, after } of changes) {
    countColumnChange(source.table, kind);
    const column = columns.find((one) => one.name === name);
    const problem = column === undefined ? null : problemOf(source, column);
    const details = { source: source.table, column: name, kind, before, after };
    if (problem === null) log.info(details, 'a column of a producer’s table changed; no row is affected');
    else if (problem === 'failing')
      log.error(
        { ...details, problem, readModels, facets },
        'a column changed, and rows without it become dead letters',
      );
    else
      log.warn({ ...details, problem, readModels, facets }, 'a column that read models may read has changed');
  }
}
