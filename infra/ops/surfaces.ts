import type { Pool } from 'pg';
import { recordAudit } from '../../db/audit.ts';
import { transaction } from '../../db/transaction.ts';
import { surfaceByName } from '../../projections/contracts/surfaces.ts';
import { ALL_SURFACES } from '../../services/query/surfaces/switches.ts';
import { type AddCommand, type Print, reason, usageError } from './command.ts';
import { operator } from './config.ts';
import { withPool } from './database.ts';
import { printTable } from './print-table.ts';

interface DisabledSurface {
  readonly name: string;
  readonly since: Date;
  readonly actor: string;
  readonly reason: string;
}

const ON = { since: null, actor: null, reason: null } as const;
const labelOf = (name: string): string => (name === ALL_SURFACES ? 'all surfaces' : name);

async function list(print: Print): Promise<void> {
  const off = new Map((await withPool(readDisabled)).map((row) => [row.name, row]));
  const rows = [ALL_SURFACES, ...surfaceByName.keys()].map((name) => ({
    surface: labelOf(name),
    grain: surfaceByName.get(name)?.surface.grain,
    switch: off.has(name) ? 'off' : 'on',
    ...(off.get(name) ?? ON),
  }));
  printTable(print, ['surface', 'grain', 'switch', 'since', 'actor', 'reason'], rows);
}

async function readDisabled(pool: Pool): Promise<DisabledSurface[]> {
  const { rows } = await pool.query<DisabledSurface>(
    'select name, since, actor, reason from operation.surface_off',
  );
  return rows;
}

/** @param name undefined for the switch of all surfaces */
function switchName(name: string | undefined, all: boolean | undefined): string {
  if ((name === undefined) !== (all === true)) throw usageError('name one surface, or --all');
  if (name !== undefined && !surfaceByName.has(name))
    throw usageError(`no surface is called "${name}"; see: surfaces list`);
  return name ?? ALL_SURFACES;
}

/** @returns whether it was on before */
const disable = (pool: Pool, name: string, why: string): Promise<boolean> =>
  transaction(pool, async (client) => {
    const { rowCount } = await client.query(
      `insert into operation.surface_off (name, actor, reason) values ($1, $2, $3) on conflict (name) do nothing`,
      [name, operator(), why],
    );
    if (rowCount === 0) return false;
    await recordAudit(client, { actor: operator(), action: 'surfaces disable', target: name, reason: why });
    return true;
  });

interface EnableResult {
  readonly wasOff: boolean;
  /** The other switches that still disable the surface, or some of all surfaces. */
  readonly stillOff: readonly string[];
}

const enable = (pool: Pool, name: string, why: string | undefined): Promise<EnableResult> =>
  transaction(pool, async (client) => {
    const { rows } = await client.query<DisabledSurface>(
      'delete from operation.surface_off where name = $1 returning since, actor, reason',
      [name],
    );
    const [before] = rows;
    if (before !== undefined)
      await recordAudit(client, {
        actor: operator(),
        action: 'surfaces enable',
        target: name,
        reason: why ?? null,
        detail: { off: before },
      });
    const { rows: others } = await client.query<{ name: string }>(
      'select name from operation.surface_off where name = $2 or $1 = $2 order by name',
      [name, ALL_SURFACES],
    );
    return { wasOff: before !== undefined, stillOff: others.map((other) => other.name) };
  });

export const addSurfaces: AddCommand = (program, print) => {
  const group = program.command('surfaces').description('Switches that disable surfaces of the API.');
  group
    .command('list')
    .description('List all switches.')
    .action(() => list(print));
  group
    .command('disable')
    .description('Disable a surface, or all. Requests for it fail until it is enabled again.')
    .argument('[name]', 'surface')
    .option('--all', 'all surfaces')
    .requiredOption('--why <text>', 'reason, for the audit trail and the list', reason)
    .action(async (given, { all, why }) => {
      const name = switchName(given, all);
      const wasOn = await withPool((pool) => disable(pool, name, why));
      print(wasOn ? `${labelOf(name)} off` : `${labelOf(name)} was off already`);
    });
  group
    .command('enable')
    .description('Enable a surface, or all, again.')
    .argument('[name]', 'surface')
    .option('--all', 'the switch of all surfaces')
    .option('--why <text>', 'reason for the audit trail')
    .action(async (given, { all, why }) => {
      const name = switchName(given, all);
      const { wasOff, stillOff } = await withPool((pool) => enable(pool, name, why?.trim() || undefined));
      print(wasOff ? `${labelOf(name)} on` : `${labelOf(name)} was on already`);
      if (stillOff.length > 0) print(`still off: ${stillOff.map(labelOf).join(', ')}`);
    });
};
