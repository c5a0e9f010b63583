import { recordAudit } from '../../db/audit.ts';
import { transaction } from '../../db/transaction.ts';
import type { Source } from '../../projections/contracts/contract.ts';
import { registerSources } from '../../projections/engine/registry.ts';
import { runSweep, withSweepLock } from '../../workers/ingest/sweeps/run-sweep.ts';
import { listBlocked, settle } from '../../workers/ingest/sweeps/sweep.ts';
import { type AddCommand, type Print, reason, source } from './command.ts';
import { operator } from './config.ts';
import { withPool } from './database.ts';
import { printTable } from './print-table.ts';

const COLUMNS = ['table', 'topic', 'endedAt', 'stored', 'missing', 'reason'] as const;

const noneBlocked = (table: Source): Error =>
  new Error(`no sweep of ${table.table} is blocked; see: sweeps list`);

async function run(table: Source, why: string, print: Print): Promise<void> {
  const removed = await withPool((pool) =>
    withSweepLock(pool, async () => {
      const registry = await registerSources(pool);
      const blocked = await listBlocked(pool, table);
      if (blocked.length === 0) throw noneBlocked(table);
      let sum = 0;
      for (const sweep of blocked) {
        const about = { actor: operator(), action: 'sweeps run', why, objection: () => null };
        sum += (await runSweep(pool, registry, sweep, about)).removed;
      }
      return sum;
    }),
  );
  if (removed === null) throw new Error('a worker is sweeping; run the command again');
  print(`removed\t${removed}`);
}

async function dismiss(table: Source, why: string, print: Print): Promise<void> {
  const dismissed = await withPool((pool) =>
    transaction(pool, async (client) => {
      const blocked = await listBlocked(client, table);
      if (blocked.length === 0) throw noneBlocked(table);
      for (const sweep of blocked) {
        const { topic, endedAt, stored, missing } = sweep;
        await settle(client, sweep, { state: 'dismissed', reason: why });
        const entry = { actor: operator(), action: 'sweeps dismiss', target: table.table, reason: why };
        await recordAudit(client, { ...entry, detail: { topic, endedAt, stored, missing } });
      }
      return blocked.length;
    }),
  );
  print(`dismissed\t${dismissed}`);
}

export const addSweeps: AddCommand = (program, print) => {
  const group = program
    .command('sweeps')
    .description('Sweeps remove rows that a snapshot of their table lacks. Those in doubt wait here.');
  group
    .command('list')
    .description('List the sweeps that wait for a decision.')
    .option('--source <table>', 'of this source', source)
    .action(async (options) => {
      printTable(print, COLUMNS, await withPool((pool) => listBlocked(pool, options.source)));
    });
  group
    .command('run')
    .description('Remove the rows that the newest snapshot of a table lacks; see: load undo.')
    .argument('<table>', 'source', source)
    .requiredOption('--why <text>', 'reason, for the audit trail', reason)
    .action((table, { why }) => run(table, why, print));
  group
    .command('dismiss')
    .description('Keep the rows. The next snapshot of the table is judged again.')
    .argument('<table>', 'source', source)
    .requiredOption('--why <text>', 'reason, for the audit trail', reason)
    .action((table, { why }) => dismiss(table, why, print));
};
