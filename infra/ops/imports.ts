import { parseArgs } from 'node:util';
import { recordAudit } from '../../db/audit.ts';
import { transaction } from '../../db/transaction.ts';
import { type ImportBacklog, readImportBacklog } from '../../projections/taste/import-backlog.ts';
import { IMPORT_FAILURES, type ImportFailure } from '../../projections/taste/import-failure.ts';
import { type RetryOf, retryImports } from '../../workers/taste/retry-imports.ts';
import { TASTE_SERVICES } from '../../workers/taste/upstream.ts';
import { commandOf, type Print, usageError } from './command.ts';
import { withPool } from './database.ts';
import { operator } from './operator.ts';
import { printTable } from './print-table.ts';

/** What is not set up begins by itself once it is. */
const RETRIABLE = Object.keys(IMPORT_FAILURES).filter((code) => code !== 'not_configured') as ImportFailure[];

/** Tells how many imports wait or have failed, and how their services do; nothing of whose they are. */
export function printImports(print: Print, { imports, services }: ImportBacklog): void {
  printTable(print, ['service', 'state', 'failure', 'imports', 'oldestAt', 'nextAt'], imports);
  print('');
  printTable(print, ['service', 'failures', 'failure', 'failingSince', 'freeAt'], services);
}

async function list(args: string[], print: Print): Promise<void> {
  parseArgs({ args, options: {} });
  printImports(print, await withPool(readImportBacklog));
}

function chosen(args: string[]): RetryOf & { readonly why: string } {
  const { values } = parseArgs({
    args,
    options: {
      failure: { type: 'string' },
      all: { type: 'boolean', default: false },
      service: { type: 'string' },
      why: { type: 'string' },
    },
  });
  const { failure, all, service } = values;
  if ((failure === undefined) !== all) throw usageError('imports retry takes one --failure, or --all');
  const services = TASTE_SERVICES.filter((known) => service === undefined || known === service);
  if (services.length === 0)
    throw usageError(`--service is one of ${TASTE_SERVICES.join(', ')}, not "${service}"`);
  const failures = RETRIABLE.filter((known) => failure === undefined || known === failure);
  if (failures.length === 0)
    throw usageError(`--failure is one of ${RETRIABLE.join(', ')}, not "${failure}"`);
  const why = values.why?.trim();
  if (!why) throw usageError('imports retry takes --why, which is kept: no names in it');
  return { services, failures, why };
}

async function retry(args: string[], print: Print): Promise<void> {
  const { services, failures, why } = chosen(args);
  const { failed, waiting } = await withPool((pool) =>
    transaction(pool, async (client) => {
      const retried = await retryImports(client, { services, failures });
      await recordAudit(client, {
        actor: operator(),
        action: 'imports retry',
        target: services.join(' '),
        reason: why,
        detail: { failures, ...retried },
      });
      return retried;
    }),
  );
  print(`queued again: ${failed} failed, ${waiting} that waited`);
}

const actions = new Map([
  ['list', list],
  ['retry', retry],
]);

export const imports = commandOf(
  'imports',
  ['imports list', 'imports retry --failure CODE|--all [--service scrobbler|catalog] --why TEXT'],
  actions,
);
