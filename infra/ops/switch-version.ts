import type { Pool } from 'pg';
import type { Projection } from '../../projections/engine/projection.ts';
import { registerSources } from '../../projections/engine/registry.ts';
import { isOwn } from '../../projections/engine/store/code-version.ts';
import { countMarks, type Version, versionsOf } from '../../projections/engine/store/version.ts';
import { projectionByName } from '../../projections/index.ts';
import type { SwitchResult } from '../../workers/project/switch-once.ts';
import { promoteVersion, rollBack } from '../../workers/project/switch-version.ts';
import { type AddCommand, type Print, projection, reason } from './command.ts';
import { operator } from './config.ts';
import { withPool } from './database.ts';

async function printSwitch(
  pool: Pool,
  print: Print,
  { version, replaced, lockedMs }: SwitchResult,
): Promise<void> {
  const instead = replaced === null ? '' : ` instead of version ${replaced.id}`;
  print(
    `version ${version.id} of ${version.projection} is live${instead}; readers waited ${Math.ceil(lockedMs)} ms at most`,
  );
  if (isOwn(version, projectionByName.get(version.projection))) return;
  const behind = (await countMarks(pool, version)).toLocaleString('en-US');
  print(
    `it was built by another release of the code; only projectors of that release can project its ${behind} dirty documents`,
  );
}

async function readyVersion(pool: Pool, { name }: Projection): Promise<Version> {
  const all = await versionsOf(pool, name);
  const ready = all.find(({ state }) => state === 'ready');
  if (ready !== undefined) return ready;
  throw new Error(
    all.some(({ state }) => state === 'building')
      ? `the next version of ${name} is still being built; see: versions list`
      : `no version of ${name} is ready; build one: rebuild ${name}`,
  );
}

export const addPromote: AddCommand = (program, print) =>
  program
    .command('promote')
    .description('Serve the ready version of a projection.')
    .argument('<projection>', 'projection', projection)
    .option('--why <text>', 'reason for the audit trail')
    .action(async (promoted, { why }) => {
      await withPool(async (pool) => {
        const ready = await readyVersion(pool, promoted);
        const decision = { actor: operator(), reason: why ?? null };
        const registry = await registerSources(pool);
        await printSwitch(
          pool,
          print,
          await promoteVersion(pool, promoted, registry, { id: ready.id, decision }),
        );
      });
    });

export const addRollback: AddCommand = (program, print) =>
  program
    .command('rollback')
    .description('Serve the previous version of a projection again.')
    .argument('<projection>', 'projection', projection)
    .requiredOption('--why <text>', 'reason for the audit trail', reason)
    .action(async (rolledBack, { why }) => {
      const decision = { actor: operator(), reason: why };
      await withPool(async (pool) => {
        const registry = await registerSources(pool);
        await printSwitch(pool, print, await rollBack(pool, rolledBack, registry, decision));
      });
    });
