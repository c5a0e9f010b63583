import { recordAudit } from '../../db/audit.ts';
import { transaction } from '../../db/transaction.ts';
import { type AddCommand, reason } from './command.ts';
import { operator } from './config.ts';
import { withPool } from './database.ts';

export const addConnectors: AddCommand = (program, print) => {
  const group = program.command('connectors').description('The connectors that feed sources; see: status.');
  group
    .command('forget')
    .description(
      'Forget a connector that is gone for good. Its sources keep their rows and go by their cadence.',
    )
    .argument('<name>', 'server name of the connector')
    .requiredOption('--why <text>', 'reason, for the audit trail', reason)
    .action(async (name, { why }) => {
      const sources = await withPool((pool) =>
        transaction(pool, async (client) => {
          const { rows } = await client.query<{ name: string }>(
            'update ingest.source set connector = null where connector = $1 returning name',
            [name],
          );
          const { rowCount } = await client.query('delete from ingest.connector where name = $1', [name]);
          if (rows.length === 0 && rowCount === 0)
            throw new Error(`no connector is called "${name}"; see: status`);
          const tables = rows.map((row) => row.name).sort();
          const entry = { actor: operator(), action: 'connectors forget', target: name, reason: why };
          await recordAudit(client, { ...entry, detail: { sources: tables } });
          return tables;
        }),
      );
      print(`forgot ${name}, which fed ${sources.join(', ') || 'no source'}`);
    });
};
