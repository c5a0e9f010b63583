import { parseArgs } from 'node:util';
import type { Pool } from 'pg';
import { recordAudit } from '../../db/audit.ts';
import { transaction } from '../../db/transaction.ts';
import { issueKey, type KeyEnvironment, listKeys, revokeKey } from '../../services/access/keys.ts';
import { TIERS } from '../../services/query/serving/rate-limits.ts';
import { type Command, type Print, usageError } from './command.ts';
import { withPool } from './database.ts';
import { operator } from './operator.ts';
import { printTable } from './print-table.ts';

const DAY_MS = 86_400_000;
const LONGEST_DAYS = 36_500;

function environmentOf(text: string): KeyEnvironment {
  if (text !== 'live' && text !== 'test') throw usageError(`--environment is live or test, not "${text}"`);
  return text;
}

function expiryOf(days: string | undefined): Date | null {
  if (days === undefined) return null;
  const count = Number(days);
  if (!/^\d+$/.test(days) || count < 1 || count > LONGEST_DAYS)
    throw usageError(`--expires-days is a whole number from 1 to ${LONGEST_DAYS}, not "${days}"`);
  return new Date(Date.now() + count * DAY_MS);
}

const issueAudited = (pool: Pool, wanted: Parameters<typeof issueKey>[1]): Promise<string> =>
  transaction(pool, async (client) => {
    const { id, key } = await issueKey(client, wanted);
    const { environment, label, tier, expiresAt } = wanted;
    const detail = { environment, label, tier, expiresAt };
    await recordAudit(client, { actor: operator(), action: 'keys issue', target: id, detail });
    return key;
  });

const revokeAudited = (pool: Pool, id: string): Promise<Date | null> =>
  transaction(pool, async (client) => {
    const since = await revokeKey(client, id);
    if (since !== null) await recordAudit(client, { actor: operator(), action: 'keys revoke', target: id });
    return since;
  });

async function issue(args: string[], print: Print): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      environment: { type: 'string', default: 'live' },
      label: { type: 'string', default: '' },
      tier: { type: 'string', default: 'standard' },
      'expires-days': { type: 'string' },
    },
  });
  const environment = environmentOf(values.environment);
  if (!TIERS.includes(values.tier))
    throw usageError(`--tier is one of ${TIERS.join(', ')}, not "${values.tier}"`);
  const expiresAt = expiryOf(values['expires-days']);
  // Alone on its line, so that a script can take it as it is. It is shown this once.
  print(await withPool((pool) => issueAudited(pool, { ...values, environment, expiresAt })));
}

async function list(args: string[], print: Print): Promise<void> {
  parseArgs({ args, options: {} });
  const keys = await withPool(listKeys);
  printTable(print, ['id', 'environment', 'tier', 'label', 'createdAt', 'expiresAt', 'revokedAt'], keys);
}

async function revoke(args: string[], print: Print): Promise<void> {
  const [id, ...more] = parseArgs({ args, options: {}, allowPositionals: true }).positionals;
  if (id === undefined || more.length > 0) throw usageError('keys revoke takes one id');
  const since = await withPool((pool) => revokeAudited(pool, id));
  if (since === null) throw new Error(`there is no key with the id "${id}"`);
  print(`${id} revoked since ${since.toISOString()}`);
}

const actions = new Map([
  ['issue', issue],
  ['list', list],
  ['revoke', revoke],
]);

export const keys: Command = {
  usage: [
    'keys issue [--environment live|test] [--label TEXT] [--tier NAME] [--expires-days N]',
    'keys list',
    'keys revoke ID',
  ],
  run([name = '', ...args], print) {
    const action = actions.get(name);
    if (action === undefined) throw usageError(`keys does not know "${name}"`);
    return action(args, print);
  },
};
