import { parseArgs } from 'node:util';
import type { Pool } from 'pg';
import { registerSources } from '../../projections/registry.ts';
import { ownFingerprints } from '../../projections/store/fingerprint.ts';
import { countMarks, versionsOf } from '../../projections/store/version.ts';
import { type VersionDetails, versionDetails } from '../../projections/store/version-details.ts';
import type { Comparison } from '../../workers/project/build/compare-versions.ts';
import type { Decision } from '../../workers/project/decision.ts';
import type { Switched } from '../../workers/project/switch-once.ts';
import { promoteVersion, rollBack } from '../../workers/project/switch-version.ts';
import { type Command, commandOf, type Print, usageError } from './command.ts';
import { withPool } from './database.ts';
import { operator } from './operator.ts';
import { printReport } from './print-report.ts';
import { printTable } from './print-table.ts';
import { projectionOf } from './projection-of.ts';

const COLUMNS = [
  'id',
  'projection',
  'state',
  'code',
  'built',
  'behind',
  'createdAt',
  'readyAt',
  'promotedAt',
  'replacedAt',
] as const;

/** A version as a row of the list. */
const listed = (version: VersionDetails) => ({
  ...version,
  state: version.pausedAt !== null && version.state === 'building' ? 'building, paused' : version.state,
  code: ownFingerprints().includes(version.fingerprint) ? 'this' : 'other',
  built: version.planned === null ? null : `${version.planned - version.left}/${version.planned}`,
});

async function list(args: string[], print: Print): Promise<void> {
  parseArgs({ args, options: {} });
  printTable(print, COLUMNS, (await withPool((pool) => versionDetails(pool))).map(listed));
}

async function show(args: string[], print: Print): Promise<void> {
  const [id, ...more] = parseArgs({ args, options: {}, allowPositionals: true }).positionals;
  if (id === undefined || more.length > 0 || !/^\d{1,9}$/.test(id))
    throw usageError('versions show takes one id');
  const [version] = await withPool((pool) => versionDetails(pool, Number(id)));
  if (version === undefined) throw new Error(`there is no version ${id}; see: versions list`);
  printTable(print, COLUMNS, [listed(version)]);
  if (version.report === null) print('compared with no other version');
  else printReport(print, version.id, version.report as Comparison);
}

const actions = new Map([
  ['list', list],
  ['show', show],
]);

export const versions = commandOf('versions', ['versions list', 'versions show ID'], actions);

function readSwitch(args: readonly string[]): { positionals: string[]; decision: Decision } {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { why: { type: 'string' } },
    allowPositionals: true,
  });
  return { positionals, decision: { actor: operator(), reason: values.why ?? null } };
}

async function printSwitch(
  pool: Pool,
  print: Print,
  { version, replaced, lockedMs }: Switched,
): Promise<void> {
  const isOwn = ownFingerprints().includes(version.fingerprint);
  const took = replaced === null ? '' : ` in the place of version ${replaced.id}`;
  print(
    `version ${version.id} of ${version.projection} is live${took}; readers waited ${Math.ceil(lockedMs)} ms at most`,
  );
  if (isOwn) return;
  const behind = (await countMarks(pool, version)).toLocaleString('en-US');
  print(
    `it was made by other code, whose projectors alone can take up the ${behind} documents that are marked`,
  );
}

export const promote: Command = {
  usage: ['promote PROJECTION [--why TEXT]'],
  async run(args, print) {
    const { positionals, decision } = readSwitch(args);
    const projection = projectionOf(positionals);
    await withPool(async (pool) => {
      const all = await versionsOf(pool, projection.name);
      const ready = all.find(({ state }) => state === 'ready');
      if (ready === undefined)
        throw new Error(
          all.some(({ state }) => state === 'building')
            ? `the next version of ${projection.name} is still being built; see: versions list`
            : `no version of ${projection.name} is ready; build one: rebuild ${projection.name}`,
        );
      const registry = await registerSources(pool);
      await printSwitch(pool, print, await promoteVersion(pool, projection, registry, ready.id, decision));
    });
  },
};

export const rollback: Command = {
  usage: ['rollback PROJECTION --why TEXT'],
  async run(args, print) {
    const { positionals, decision } = readSwitch(args);
    const projection = projectionOf(positionals);
    if (decision.reason === null) throw usageError('say why: rollback PROJECTION --why TEXT');
    await withPool(async (pool) => {
      const registry = await registerSources(pool);
      await printSwitch(pool, print, await rollBack(pool, projection, registry, decision));
    });
  },
};
