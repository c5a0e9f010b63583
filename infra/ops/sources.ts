import { columnShape } from '../../projections/contracts/columns.ts';
import { type Source, STALE_AFTER_SECONDS } from '../../projections/contracts/contract.ts';
import { sources } from '../../projections/contracts/index.ts';
import { registerSources } from '../../projections/engine/registry.ts';
import { raiseEpoch } from '../../workers/ingest/apply/epochs.ts';
import { checkFile } from './check-file.ts';
import { type AddCommand, reason, source, usageError } from './command.ts';
import { operator } from './config.ts';
import { withPool } from './database.ts';
import { printTable } from './print-table.ts';
import { addColumns } from './source-columns.ts';

function describe({ columns, ...described }: Source): object {
  const shapes = Object.entries(columns).map(([name, column]) => {
    const { encoding, isList, isNullable, values, counts, nonFinite } = columnShape(column);
    return [
      name,
      {
        type: isList ? `${encoding}[]` : encoding,
        nullable: isNullable,
        ...(values && { values }),
        ...(Object.keys(counts).length > 0 && { counts }),
        ...(nonFinite && { nonFinite }),
      },
    ];
  });
  return {
    ...described,
    staleAfterSeconds: STALE_AFTER_SECONDS[described.cadence],
    columns: Object.fromEntries(shapes),
  };
}

/** Raises the epoch of a source, or only reads it without a reason. */
async function epochOf(table: Source, why: string | undefined): Promise<number> {
  return withPool(async (pool) => {
    const registry = await registerSources(pool);
    return why === undefined
      ? registry.epochOf(table)
      : raiseEpoch(pool, registry, table, { actor: operator(), reason: why });
  });
}

export const addSources: AddCommand = (program, print) => {
  const group = program
    .command('sources')
    .description('The tables that producers send, and their contracts.');
  group
    .command('list')
    .description('List all sources.')
    .action(() => {
      const rows = sources.map(({ table, owner, cadence, tier, subject, surface }) => ({
        table,
        owner,
        cadence,
        tier,
        subject: subject.kind,
        surface: surface?.grain,
      }));
      printTable(print, ['table', 'owner', 'cadence', 'tier', 'subject', 'surface'], rows);
    });
  group
    .command('show')
    .description('Print the contract of a source as JSON.')
    .argument('<table>', 'source', source)
    .action((table) => print(JSON.stringify(describe(table), null, 2)));
  group
    .command('schema')
    .description('Print the JSON Schema of the rows of a source.')
    .argument('<table>', 'source', source)
    .action(async (table) => {
      const { sourceJsonSchema } = await import('../../projections/contracts/json-schema.ts');
      print(JSON.stringify(sourceJsonSchema(table), null, 2));
    });
  group
    .command('check')
    .description(
      'Check a file of rows, envelopes or change events against the contracts, without a database.',
    )
    .argument('<file>', '<schema>.<table>.ndjson or .csv, or changes.ndjson, with or without .gz')
    .option('--source <table>', 'the source of the rows, if the file is not named after it', source)
    .option('--prefix <topic_prefix>', 'prefix of the topics in a file of change events (default: producers)')
    .action((file, options) => checkFile(file, options, print));
  group
    .command('epoch')
    .description(
      'Show the epoch of a source, or raise it after its log positions started again from the beginning.',
    )
    .argument('<table>', 'source', source)
    .option('--raise', 'start a new epoch')
    .option('--why <text>', 'reason for the audit trail', reason)
    .action(async (table, { raise, why }) => {
      if (raise && why === undefined) throw usageError('--raise needs a reason: --why <text>');
      if (!raise && why !== undefined) throw usageError('--why goes with --raise');
      print(`${table.table} is in epoch ${await epochOf(table, why)}`);
    });
  addColumns(group, print);
};
