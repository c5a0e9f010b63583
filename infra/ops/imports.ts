import { Option } from '@commander-js/extra-typings';
import { recordAudit } from '../../db/audit.ts';
import { notify } from '../../db/notify.ts';
import { transaction } from '../../db/transaction.ts';
import { type ImportBacklog, readImportBacklog } from '../../projections/models/taste/import-backlog.ts';
import {
  IMPORT_CHANNEL,
  IMPORT_FAILURES,
  type ImportFailure,
} from '../../projections/models/taste/imports.ts';
import { retryImports } from '../../workers/taste/retry-imports.ts';
import { IMPORT_SERVICES } from '../../workers/taste/upstream.ts';
import { type AddCommand, type Print, reason, usageError } from './command.ts';
import { operator } from './config.ts';
import { withPool } from './database.ts';
import { printTable } from './print-table.ts';

/** Imports that failed as `not_configured` start on their own once the upstream is configured. */
const RETRIABLE = Object.keys(IMPORT_FAILURES).filter((code) => code !== 'not_configured') as ImportFailure[];

/** Prints how many imports wait or have failed, and the state of their services. Prints nothing about persons. */
export function printImports(print: Print, { imports, services }: ImportBacklog): void {
  printTable(print, ['service', 'state', 'failure', 'imports', 'oldestAt', 'nextAt'], imports);
  print('');
  printTable(print, ['service', 'failures', 'failure', 'failingSince', 'freeAt'], services);
}

export const addImports: AddCommand = (program, print) => {
  const group = program.command('imports').description('Imports of taste profiles.');
  group
    .command('list')
    .description('Show how many imports wait or have failed.')
    .action(async () => printImports(print, await withPool(readImportBacklog)));
  group
    .command('retry')
    .description('Start failed and waiting imports again, with all their attempts.')
    .addOption(new Option('--failure <code>', 'those with this failure').choices(RETRIABLE))
    .option('--all', 'those with any failure')
    .addOption(new Option('--service <name>', 'those from this service').choices(IMPORT_SERVICES))
    .requiredOption('--why <text>', 'reason for the audit trail, without names of persons', reason)
    .action(async ({ failure, all = false, service, why }) => {
      if ((failure === undefined) !== all) throw usageError('imports retry takes one --failure, or --all');
      const services = service === undefined ? IMPORT_SERVICES : [service];
      const failures = failure === undefined ? RETRIABLE : [failure];
      const { failed, waiting } = await withPool(async (pool) => {
        const counts = await transaction(pool, async (client) => {
          const retried = await retryImports(client, { services, failures });
          await recordAudit(client, {
            actor: operator(),
            action: 'imports retry',
            target: services.join(' '),
            reason: why,
            detail: { failures, ...retried },
          });
          return retried;
        });
        await notify(pool, IMPORT_CHANNEL);
        return counts;
      });
      print(`queued again: ${failed} failed, ${waiting} waiting`);
    });
};
