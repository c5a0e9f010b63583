import { parseArgs } from 'node:util';
import type { Pool } from 'pg';
import { recordAudit } from '../../db/audit.ts';
import { transaction } from '../../db/transaction.ts';
import { surfaceByName } from '../../projections/sources/surfaces.ts';
import { ALL_SURFACES } from '../../services/query/serving/surface/switches.ts';
import { commandOf, type Print, usageError } from './command.ts';
import { withPool } from './database.ts';
import { operator } from './operator.ts';
import { printTable } from './print-table.ts';

interface Off {
  readonly name: string;
  readonly since: Date;
  readonly actor: string;
  readonly reason: string;
}

/** A switch, and what an operator says of turning it. */
interface Turn {
  /** `*` for the switch over all surfaces. */
  readonly name: string;
  readonly why: string | null;
}

const ON = { since: null, actor: null, reason: null } as const;
const labelOf = (name: string): string => (name === ALL_SURFACES ? 'all surfaces' : name);

async function list(args: string[], print: Print): Promise<void> {
  parseArgs({ args, options: {} });
  const off = new Map((await withPool(readOff)).map((row) => [row.name, row]));
  const rows = [ALL_SURFACES, ...surfaceByName.keys()].map((name) => ({
    surface: labelOf(name),
    grain: surfaceByName.get(name)?.surface.grain,
    switch: off.has(name) ? 'off' : 'on',
    ...(off.get(name) ?? ON),
  }));
  printTable(print, ['surface', 'grain', 'switch', 'since', 'actor', 'reason'], rows);
}

async function readOff(pool: Pool): Promise<Off[]> {
  const { rows } = await pool.query<Off>('select name, since, actor, reason from operation.surface_off');
  return rows;
}

function turnOf(args: string[]): Turn {
  const { values, positionals } = parseArgs({
    args,
    options: { all: { type: 'boolean', default: false }, why: { type: 'string' } },
    allowPositionals: true,
  });
  const [name, ...more] = positionals;
  if ((name === undefined) !== values.all || more.length > 0) throw usageError('name one surface, or --all');
  if (name !== undefined && !surfaceByName.has(name))
    throw new Error(`no surface is called "${name}"; see: surfaces list`);
  return { name: name ?? ALL_SURFACES, why: values.why?.trim() || null };
}

async function disable(args: string[], print: Print): Promise<void> {
  const { name, why } = turnOf(args);
  if (why === null) throw usageError('--why is missing: it is kept, and says why clients are refused');
  const hasTurned = await withPool((pool) => turnOff(pool, name, why));
  print(hasTurned ? `${labelOf(name)} off` : `${labelOf(name)} was off already`);
}

async function enable(args: string[], print: Print): Promise<void> {
  const { name, why } = turnOf(args);
  const { hasTurned, stillOff } = await withPool((pool) => turnOn(pool, { name, why }));
  print(hasTurned ? `${labelOf(name)} on` : `${labelOf(name)} was on already`);
  if (stillOff.length > 0) print(`still off: ${stillOff.map(labelOf).join(', ')}`);
}

const turnOff = (pool: Pool, name: string, why: string): Promise<boolean> =>
  transaction(pool, async (client) => {
    const { rowCount } = await client.query(
      `insert into operation.surface_off (name, actor, reason) values ($1, $2, $3) on conflict (name) do nothing`,
      [name, operator(), why],
    );
    if (rowCount === 0) return false;
    await recordAudit(client, { actor: operator(), action: 'surfaces disable', target: name, reason: why });
    return true;
  });

interface TurnedOn {
  readonly hasTurned: boolean;
  /** The other switches that keep what was turned on from being served. */
  readonly stillOff: readonly string[];
}

const turnOn = (pool: Pool, { name, why }: Turn): Promise<TurnedOn> =>
  transaction(pool, async (client) => {
    const { rows } = await client.query<Off>(
      'delete from operation.surface_off where name = $1 returning since, actor, reason',
      [name],
    );
    const [before] = rows;
    if (before !== undefined) {
      const detail = { off: before };
      await recordAudit(client, {
        actor: operator(),
        action: 'surfaces enable',
        target: name,
        reason: why,
        detail,
      });
    }
    const { rows: others } = await client.query<{ name: string }>(
      'select name from operation.surface_off where name = $2 or $1 = $2 order by name',
      [name, ALL_SURFACES],
    );
    return { hasTurned: before !== undefined, stillOff: others.map((other) => other.name) };
  });

const actions = new Map([
  ['list', list],
  ['disable', disable],
  ['enable', enable],
]);

export const surfaces = commandOf(
  'surfaces',
  ['surfaces list', 'surfaces disable NAME|--all --why TEXT', 'surfaces enable NAME|--all [--why TEXT]'],
  actions,
);
