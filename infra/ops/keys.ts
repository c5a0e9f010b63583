import { Option } from '@commander-js/extra-typings';
import type { Pool } from 'pg';
import { recordAudit } from '../../db/audit.ts';
import { transaction } from '../../db/transaction.ts';
import { TIERS } from '../../services/http/limits/tiers.ts';
import { issueKey, listKeys, type Rotation, revokeKey, rotateKey } from '../../services/query/keys/keys.ts';
import { type AddCommand, usageError, wholeNumber } from './command.ts';
import { operator } from './config.ts';
import { withPool } from './database.ts';
import { printTable } from './print-table.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const LONGEST_DAYS = 36_500;
const DEFAULT_GRACE_HOURS = 24;
const LONGEST_GRACE_HOURS = 8_760;

const issueAudited = (pool: Pool, wanted: Parameters<typeof issueKey>[1]): Promise<string> =>
  transaction(pool, async (client) => {
    const { id, key } = await issueKey(client, wanted);
    const { environment, label, tier, expiresAt } = wanted;
    const detail = { environment, label, tier, expiresAt };
    await recordAudit(client, { actor: operator(), action: 'keys issue', target: id, detail });
    return key;
  });

const rotateAudited = (pool: Pool, id: string, rotation: Rotation): Promise<string> =>
  transaction(pool, async (client) => {
    const { id: newId, key, expiresAt, oldExpiresAt } = await rotateKey(client, id, rotation);
    const detail = { newId, expiresAt, oldExpiresAt };
    await recordAudit(client, { actor: operator(), action: 'keys rotate', target: id, detail });
    return key;
  });

const revokeAudited = (pool: Pool, id: string): Promise<Date | null> =>
  transaction(pool, async (client) => {
    const since = await revokeKey(client, id);
    if (since !== null) await recordAudit(client, { actor: operator(), action: 'keys revoke', target: id });
    return since;
  });

/** A line break in a label would break the lists that show it. */
function label(text: string): string {
  if (/\p{Cc}/u.test(text)) throw usageError('It must not contain control characters.');
  return text;
}

const COLUMNS = [
  'id',
  'environment',
  'tier',
  'label',
  'createdAt',
  'expiresAt',
  'revokedAt',
  'lastUsedAt',
  'replacedBy',
] as const;

export const addKeys: AddCommand = (program, print) => {
  const group = program.command('keys').description('API keys.');
  group
    .command('issue')
    .description('Issue a key. Prints it alone on a line, this once.')
    .addOption(new Option('--environment <name>', 'environment').choices(['live', 'test']).default('live'))
    .option('--label <text>', 'what the key is for', label, '')
    .addOption(new Option('--tier <name>', 'tier of rate limits').choices(TIERS).default('standard'))
    .option('--expires-days <n>', 'days until it expires (default: never)', wholeNumber(1, LONGEST_DAYS))
    .action(async ({ expiresDays, environment, label, tier }) => {
      const expiresAt = expiresDays === undefined ? null : new Date(Date.now() + expiresDays * DAY_MS);
      print(await withPool((pool) => issueAudited(pool, { environment, label, tier, expiresAt })));
    });
  group
    .command('list')
    .description('List all keys, without their secrets.')
    .action(async () => printTable(print, COLUMNS, await withPool(listKeys)));
  group
    .command('rotate')
    .description('Issue a key that replaces another. Prints it alone on a line, this once.')
    .argument('<id>', 'the key to replace')
    .option(
      '--grace-hours <n>',
      'hours for which the old key stays valid',
      wholeNumber(0, LONGEST_GRACE_HOURS),
      DEFAULT_GRACE_HOURS,
    )
    .option(
      '--expires-days <n>',
      'days until the new key expires (default: the lifetime of the old key)',
      wholeNumber(1, LONGEST_DAYS),
    )
    .action(async (id, { graceHours, expiresDays }) => {
      const lifetimeMs = expiresDays === undefined ? undefined : expiresDays * DAY_MS;
      print(await withPool((pool) => rotateAudited(pool, id, { graceMs: graceHours * HOUR_MS, lifetimeMs })));
    });
  group
    .command('revoke')
    .description('Revoke a key immediately.')
    .argument('<id>', 'key')
    .action(async (id) => {
      const since = await withPool((pool) => revokeAudited(pool, id));
      if (since === null) throw new Error(`there is no key with the id "${id}"`);
      print(`${id} revoked since ${since.toISOString()}`);
    });
};
