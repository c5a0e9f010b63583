import { connect } from '../../db/connect.ts';
import type { Projection } from '../../projections/engine/projection.ts';
import { registerSources } from '../../projections/engine/registry.ts';
import { BUILD_CONNECTIONS, buildVersion } from '../../workers/project/build-version.ts';
import type { Decision } from '../../workers/project/decision.ts';
import { setPaused } from '../../workers/project/pause-build.ts';
import { rebuildKey } from '../../workers/project/rebuild-key.ts';
import { renice } from '../runtime/renice.ts';
import { showBuild } from '../start/show-build.ts';
import { type AddCommand, type Print, projection, usageError } from './command.ts';
import { operator } from './config.ts';
import { databaseUrl, withPool } from './database.ts';
import { enqueueRebuild } from './jobs.ts';
import { printReport } from './print-report.ts';

const decided = (why: string | undefined): Decision => ({ actor: operator(), reason: why ?? null });

async function rebuildOne(
  projected: Projection,
  { key, why }: { readonly key: string; readonly why: string | undefined },
  print: Print,
): Promise<void> {
  const documents = await withPool(async (pool) =>
    rebuildKey(pool, projected, await registerSources(pool), { name: key, decision: decided(why) }),
  );
  for (const { key: found, version, outcome } of documents) {
    print(`${found} in version ${version.id} (${version.state}): ${outcome}`);
  }
}

interface BuildChoice {
  readonly promote: boolean;
  readonly fromScratch: boolean;
  readonly why: string | undefined;
}

const rebuildInBackground = (
  { name }: Projection,
  { promote, fromScratch, why }: BuildChoice,
  print: Print,
) => enqueueRebuild({ projection: name, promote, fromScratch }, why ?? null, print);

async function rebuildAll(projected: Projection, choice: BuildChoice, print: Print): Promise<void> {
  const { name } = projected;
  renice();
  const pool = connect(await databaseUrl(), 'ops rebuild', { max: BUILD_CONNECTIONS });
  const ending = new AbortController();
  const onInterrupt = () =>
    ending.abort(new Error(`stopped; the same command continues the build: rebuild ${name}`));
  process.once('SIGINT', onInterrupt);
  const shown = showBuild(name);
  try {
    const { version, report } = await buildVersion(pool, projected, await registerSources(pool), {
      promote: choice.promote,
      fromScratch: choice.fromScratch,
      decision: decided(choice.why),
      signal: ending.signal,
      ...shown.listeners,
    });
    shown.end();
    if (report === null)
      print(`version ${version.id} of ${name} is the first, so there is nothing to compare it with`);
    else printReport(print, version.id, report);
    print(
      version.state === 'ready'
        ? `version ${version.id} of ${name} is ready; to serve it: npm run ops -- promote ${name}`
        : `version ${version.id} of ${name} is ${version.state}`,
    );
  } finally {
    shown.end();
    process.off('SIGINT', onInterrupt);
    await pool.end();
  }
}

export const addRebuild: AddCommand = (program, print) => {
  const group = program
    .command('rebuild')
    .description('Build a new version of a projection, and compare it with the live one.')
    .argument('<projection>', 'projection', projection)
    .option('--key <key>', 'rebuild only the document with this key or lookup key, in the existing versions')
    .option('--from-scratch', 'drop an unfinished build and start again')
    .option('--promote', 'serve the version once it is ready')
    .option('--background', 'let a job worker build it')
    .option('--why <text>', 'reason for the audit trail')
    .action(async (projected, { key, fromScratch = false, promote = false, background = false, why }) => {
      if (key === undefined)
        return (background ? rebuildInBackground : rebuildAll)(
          projected,
          { promote, fromScratch, why },
          print,
        );
      if (promote || fromScratch || background)
        throw usageError('--key rebuilds one document in the existing versions, without another option');
      return rebuildOne(projected, { key, why }, print);
    });
  group
    .command('pause')
    .description('Pause a build.')
    .argument('<projection>', 'projection', projection)
    .action(async (projected) => {
      const id = await withPool((pool) =>
        setPaused(pool, projected, { isPaused: true, decision: decided(undefined) }),
      );
      print(`version ${id} of ${projected.name} is paused: its builders stop after the documents in hand`);
    });
  group
    .command('resume')
    .description('Continue a build that was paused.')
    .argument('<projection>', 'projection', projection)
    .action(async (projected) => {
      const id = await withPool((pool) =>
        setPaused(pool, projected, { isPaused: false, decision: decided(undefined) }),
      );
      print(`the build of version ${id} of ${projected.name} continues if a builder is waiting for it`);
    });
};
