import type { Pool } from 'pg';
import { recordAudit } from '../../db/audit.ts';
import { transaction } from '../../db/transaction.ts';
import { columnShape } from '../../projections/contracts/columns.ts';
import type { Source } from '../../projections/contracts/contract.ts';
import { dependentsOf } from '../../projections/dependents.ts';
import { columnEffect } from '../../projections/engine/column-effect.ts';
import {
  problemOf,
  readSourceColumns,
  type SourceColumn,
} from '../../projections/engine/freshness/source-columns.ts';
import { registerSources } from '../../projections/engine/registry.ts';
import { projections } from '../../projections/index.ts';
import { clearColumn } from '../../workers/ingest/apply/clear-column.ts';
import { type AddCommand, type Print, reason, source, usageError, wholeNumber } from './command.ts';
import { operator } from './config.ts';
import { withPool } from './database.ts';
import { printTable } from './print-table.ts';

const instant = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

/** The columns of a source as they are sent and as its contract has them. */
function columnLines(table: Source, known: readonly SourceColumn[], stored: ReadonlyMap<string, number>) {
  const contractOf = (name: string): string => {
    const schema = table.columns[name];
    if (schema === undefined) return 'no';
    return columnShape(schema).isNullable ? 'nullable' : 'required';
  };
  const seen = known.map((column) => ({
    column: column.name,
    contract: contractOf(column.name),
    state: column.droppedMs === null ? 'sent' : column.clearedMs === null ? 'dropped' : 'cleared',
    type: column.type,
    typeBefore: column.typeBefore,
    since: instant(column.droppedMs ?? column.firstSeenMs),
    maybeRenamedTo: column.renamedTo,
    problem: problemOf(table, column),
  }));
  const names = new Set([...Object.keys(table.columns), ...stored.keys()]);
  const unseen = [...names].filter((name) => !known.some((column) => column.name === name));
  return [
    ...seen,
    ...unseen.map((name) => ({
      column: name,
      contract: contractOf(name),
      state: known.length === 0 ? 'unknown' : 'not sent',
      type: null,
      typeBefore: null,
      since: null,
      maybeRenamedTo: null,
      problem: null,
    })),
  ];
}

/** How many stored rows have a value of each column. */
async function countStored(pool: Pool, sourceId: number): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ name: string; rows: number }>(
    `select member.key as name, count(*)::float8 as rows
     from ingest.mirror cross join json_each(row::json) member
     where source = $1 and row is not null and json_typeof(value) <> 'null'
     group by member.key order by member.key`,
    [sourceId],
  );
  return new Map(rows.map(({ name, rows: count }) => [name, count]));
}

async function printColumns(print: Print, table: Source, isCounting: boolean): Promise<void> {
  const { known, stored } = await withPool(async (pool) => {
    const id = (await registerSources(pool)).idOf(table);
    const columns = await readSourceColumns(pool, id);
    return { known: columns, stored: isCounting ? await countStored(pool, id) : null };
  });
  const lines = columnLines(table, known, stored ?? new Map());
  printTable(
    print,
    [
      ...([
        'column',
        'contract',
        'state',
        'type',
        'typeBefore',
        'since',
        'maybeRenamedTo',
        'problem',
      ] as const),
      ...(stored === null ? [] : (['stored'] as const)),
    ],
    lines.map((line) => ({ ...line, stored: stored?.get(line.column) ?? 0 })),
  );
  const { readModels, facets, isSurface } = dependentsOf(table);
  print('');
  print(`read models\t${readModels.join(', ')}`);
  print(`facets\t${facets.join(', ')}`);
  if (isSurface) print(`surface\t${table.table}`);
}

async function printEffect(print: Print, table: Source, column: string): Promise<void> {
  if (table.columns[column] === undefined)
    return print(`${table.table} has no ${column} in its contract: no read model reads it`);
  const effects = await withPool(async (pool) => {
    const registry = await registerSources(pool);
    return transaction(pool, (client) =>
      columnEffect(client, registry, { source: table, column, projections }),
    );
  });
  printTable(
    print,
    ['readModel', 'documents', 'changed', 'members'],
    effects.map((effect) => ({ ...effect, members: effect.members.join(', ') })),
  );
}

interface ChangeLine {
  readonly noticedAt: Date;
  readonly changedAt: Date;
  readonly source: string;
  readonly column: string;
  readonly kind: string;
  readonly before: string | null;
  readonly after: string | null;
}

async function readChanges(pool: Pool, table: Source | undefined, limit: number): Promise<ChangeLine[]> {
  const { rows } = await pool.query<ChangeLine>(
    `select noticed_at as "noticedAt", changed_at as "changedAt", source.name as source, change.name as column, kind,
       before, after
     from ingest.column_change change join ingest.source on source.id = change.source
     where source.name = coalesce($1, source.name)
     order by change.id desc limit $2`,
    [table?.table ?? null, limit],
  );
  return rows;
}

/** @returns the columns whose changes no longer warn */
function acknowledge(pool: Pool, table: Source, why: string): Promise<string[]> {
  return transaction(pool, async (client) => {
    const id = (await registerSources(client)).idOf(table);
    await client.query('select from ingest.source where id = $1 for no key update', [id]);
    const troubled = (await readSourceColumns(client, id)).filter(
      (column) => problemOf(table, column) !== null,
    );
    const columns = troubled.map(({ name }) => name);
    if (columns.length === 0) throw new Error(`no changed column of ${table.table} warns`);
    await client.query(
      'update ingest.source_column set acknowledged_at = now() where source = $1 and name = any($2)',
      [id, columns],
    );
    const entry = { actor: operator(), action: 'sources acknowledge', target: table.table, reason: why };
    await recordAudit(client, { ...entry, detail: { columns } });
    return columns;
  });
}

/** The commands of `sources` about the columns of producers' tables. */
export const addColumns: AddCommand = (group, print) => {
  group
    .command('columns')
    .description('Show the columns that the newest records have, and what a column does to the read models.')
    .argument('<table>', 'source', source)
    .argument('[column]', 'build documents of stored rows with and without its values, and show what differs')
    .option('--stored', 'also count the stored rows that have a value, which reads all rows of the table')
    .action((table, column, { stored }) =>
      column === undefined ? printColumns(print, table, stored === true) : printEffect(print, table, column),
    );
  group
    .command('changes')
    .description('List how the columns of producers’ tables changed, the newest first.')
    .argument('[table]', 'source', source)
    .option('--limit <n>', 'how many', wholeNumber(1), 50)
    .action(async (table, { limit }) => {
      const rows = await withPool((pool) => readChanges(pool, table, limit));
      const lines = rows.map((row) => ({
        ...row,
        facets: dependentsOf(source(row.source)).facets.join(', '),
      }));
      printTable(
        print,
        ['noticedAt', 'changedAt', 'source', 'column', 'kind', 'before', 'after', 'facets'],
        lines,
      );
    });
  group
    .command('acknowledge')
    .description(
      'Accept the changed columns of a source: until they change again, they neither warn nor make it stale.',
    )
    .argument('<table>', 'source', source)
    .requiredOption('--why <text>', 'reason, for the audit trail', reason)
    .action(async (table, { why }) => {
      const columns = await withPool((pool) => acknowledge(pool, table, why));
      print(`acknowledged ${columns.join(', ')} of ${table.table}`);
    });
  group
    .command('clear')
    .description(
      'Remove the last values of a dropped column from all stored rows. It cannot be undone; load or stream the rows again.',
    )
    .argument('<table>', 'source', source)
    .argument('<column>', 'a nullable column of the contract, or one outside it')
    .option('--force', 'also if it is still sent, or no log has shown the columns of the table')
    .requiredOption('--why <text>', 'reason, for the audit trail', reason)
    .action(async (table, column, { force, why }) => {
      if (table.columns[column] !== undefined && !columnShape(table.columns[column]).isNullable)
        throw usageError(`The contract of ${table.table} requires ${column}; it cannot be null.`);
      const cleared = await withPool(async (pool) =>
        clearColumn(pool, await registerSources(pool), {
          source: table,
          column,
          isForced: force === true,
          actor: operator(),
          why,
        }),
      );
      print(`cleared ${column} in ${cleared} rows of ${table.table}`);
    });
};
