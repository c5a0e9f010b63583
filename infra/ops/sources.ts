import { parseArgs } from 'node:util';
import { columnShape } from '../../projections/sources/columns.ts';
import { type Source, STALE_AFTER_SECONDS } from '../../projections/sources/contract.ts';
import { sources as allSources, sourceByTable } from '../../projections/sources/index.ts';
import { checkFile } from './check-file.ts';
import { commandOf, type Print, usageError } from './command.ts';
import { epoch } from './epoch.ts';
import { printTable } from './print-table.ts';

function sourceOf(args: string[]): Source {
  const [table, ...more] = parseArgs({ args, options: {}, allowPositionals: true }).positionals;
  if (table === undefined || more.length > 0) throw usageError('name one table');
  const source = sourceByTable.get(table);
  if (source === undefined) throw new Error(`no source is called "${table}"; see: sources list`);
  return source;
}

function list(args: string[], print: Print): void {
  parseArgs({ args, options: {} });
  const rows = allSources.map(({ table, owner, cadence, tier, subject, surface }) => ({
    table,
    owner,
    cadence,
    tier,
    subject: subject.kind,
    surface: surface?.grain,
  }));
  printTable(print, ['table', 'owner', 'cadence', 'tier', 'subject', 'surface'], rows);
}

function describe({ columns, ...source }: Source): object {
  const described = Object.entries(columns).map(([name, column]) => {
    const { encoding, isList, isNullable, values } = columnShape(column);
    return [
      name,
      { type: isList ? `${encoding}[]` : encoding, nullable: isNullable, ...(values && { values }) },
    ];
  });
  return {
    ...source,
    staleAfterSeconds: STALE_AFTER_SECONDS[source.cadence],
    columns: Object.fromEntries(described),
  };
}

function show(args: string[], print: Print): void {
  print(JSON.stringify(describe(sourceOf(args)), null, 2));
}

async function schema(args: string[], print: Print): Promise<void> {
  const { sourceJsonSchema } = await import('../../projections/sources/json-schema.ts');
  print(JSON.stringify(sourceJsonSchema(sourceOf(args)), null, 2));
}

const actions = new Map<string, (args: string[], print: Print) => void | Promise<void>>([
  ['list', list],
  ['show', show],
  ['schema', schema],
  ['check', checkFile],
  ['epoch', epoch],
]);

export const sources = commandOf(
  'sources',
  [
    'sources list',
    'sources show TABLE',
    'sources schema TABLE',
    'sources check FILE [--source TABLE] [--prefix TOPIC_PREFIX]',
    'sources epoch TABLE [--raise --why TEXT]',
  ],
  actions,
);
