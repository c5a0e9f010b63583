import { parseArgs } from 'node:util';
import type { Pool } from 'pg';
import { recordAudit } from '../../db/audit.ts';
import { transaction } from '../../db/transaction.ts';
import {
  issueKey,
  type KeyEnvironment,
  listKeys,
  type Rotation,
  revokeKey,
  rotateKey,
} from '../../services/access/keys.ts';
import { TIERS } from '../../services/query/serving/rate-limits.ts';
import { commandOf, type Print, usageError } from './command.ts';
import { withPool } from './database.ts';
import { operator } from './operator.ts';
import { printTable } from './print-table.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const LONGEST_DAYS = 36_500;
const DEFAULT_GRACE_HOURS = '24';
const LONGEST_GRACE_HOURS = 8_760;

function environmentOf(text: string): KeyEnvironment {
  if (text !== 'live' && text !== 'test') throw usageError(`--environment is live or test, not "${text}"`);
  return text;
}

function wholeNumber(option: string, text: string, least: number, most: number): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < least || count > most)
    throw usageError(`--${option} is a whole number from ${least} to ${most}, not "${text}"`);
  return count;
}

const lifetimeOf = (days: string | undefined): number | undefined =>
  days === undefined ? undefined : wholeNumber('expires-days', days, 1, LONGEST_DAYS) * DAY_MS;

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
  const lifetimeMs = lifetimeOf(values['expires-days']);
  const expiresAt = lifetimeMs === undefined ? null : new Date(Date.now() + lifetimeMs);
  // Alone on its line, so that a script can take it as it is. It is shown this once.
  print(await withPool((pool) => issueAudited(pool, { ...values, environment, expiresAt })));
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

async function list(args: string[], print: Print): Promise<void> {
  parseArgs({ args, options: {} });
  const keys = await withPool(listKeys);
  printTable(print, COLUMNS, keys);
}

function oneId(action: string, [id, ...more]: readonly string[]): string {
  if (id === undefined || more.length > 0) throw usageError(`keys ${action} takes one id`);
  return id;
}

async function rotate(args: string[], print: Print): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      'grace-hours': { type: 'string', default: DEFAULT_GRACE_HOURS },
      'expires-days': { type: 'string' },
    },
  });
  const id = oneId('rotate', positionals);
  const graceMs = wholeNumber('grace-hours', values['grace-hours'], 0, LONGEST_GRACE_HOURS) * HOUR_MS;
  const lifetimeMs = lifetimeOf(values['expires-days']);
  // Like one that is issued: alone on its line, and never again.
  print(await withPool((pool) => rotateAudited(pool, id, { graceMs, lifetimeMs })));
}

async function revoke(args: string[], print: Print): Promise<void> {
  const id = oneId('revoke', parseArgs({ args, options: {}, allowPositionals: true }).positionals);
  const since = await withPool((pool) => revokeAudited(pool, id));
  if (since === null) throw new Error(`there is no key with the id "${id}"`);
  print(`${id} revoked since ${since.toISOString()}`);
}

const actions = new Map([
  ['issue', issue],
  ['list', list],
  ['rotate', rotate],
  ['revoke', revoke],
]);

export const keys = commandOf(
  'keys',
  [
    'keys issue [--environment live|test] [--label TEXT] [--tier NAME] [--expires-days N]',
    'keys list',
    'keys rotate ID [--grace-hours N] [--expires-days N]',
    'keys revoke ID',
  ],
  actions,
);
