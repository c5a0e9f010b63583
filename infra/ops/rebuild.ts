import { parseArgs } from 'node:util';
import { connect } from '../../db/connect.ts';
import type { Projection } from '../../projections/projection.ts';
import { registerSources } from '../../projections/registry.ts';
import { BUILD_CONNECTIONS, buildVersion } from '../../workers/project/build-version.ts';
import type { Decision } from '../../workers/project/decision.ts';
import { setPaused } from '../../workers/project/pause-build.ts';
import { rebuildKey } from '../../workers/project/rebuild-key.ts';
import { stepBack } from '../../workers/step-back.ts';
import { showBuild } from '../start/show-build.ts';
import { type Command, type Print, usageError } from './command.ts';
import { databaseUrl, withPool } from './database.ts';
import { enqueueRebuild } from './jobs.ts';
import { operator } from './operator.ts';
import { printReport } from './print-report.ts';
import { projectionOf } from './projection-of.ts';

const decided = (why: string | undefined): Decision => ({ actor: operator(), reason: why ?? null });

async function pauseOrResume(isPaused: boolean, args: string[], print: Print): Promise<void> {
  const projection = projectionOf(parseArgs({ args, options: {}, allowPositionals: true }).positionals);
  const id = await withPool((pool) => setPaused(pool, projection, isPaused, decided(undefined)));
  print(
    isPaused
      ? `version ${id} of ${projection.name} is paused: its builders stop after the documents in hand`
      : `version ${id} of ${projection.name} goes on where a builder waits for it`,
  );
}

async function rebuildOne(projection: Projection, key: string, why: string | undefined, print: Print) {
  const rebuilt = await withPool(async (pool) =>
    rebuildKey(pool, projection, await registerSources(pool), key, decided(why)),
  );
  for (const { key: found, version, outcome } of rebuilt) {
    print(`${found} in version ${version.id} (${version.state}): ${outcome}`);
  }
}

interface BuildChoice {
  readonly promote: boolean;
  readonly fromScratch: boolean;
  readonly why: string | undefined;
}

const inBackground = ({ name }: Projection, { promote, fromScratch, why }: BuildChoice, print: Print) =>
  enqueueRebuild({ projection: name, promote, fromScratch }, why ?? null, print);

async function rebuildAll(projection: Projection, choice: BuildChoice, print: Print): Promise<void> {
  const { name } = projection;
  stepBack();
  const pool = connect(await databaseUrl(), 'ops rebuild', { max: BUILD_CONNECTIONS });
  const ending = new AbortController();
  const onInterrupt = () =>
    ending.abort(new Error(`stopped; the same command goes on with it: rebuild ${name}`));
  process.once('SIGINT', onInterrupt);
  const shown = showBuild(name);
  try {
    const { version, report } = await buildVersion(pool, projection, await registerSources(pool), {
      promote: choice.promote,
      fromScratch: choice.fromScratch,
      decision: decided(choice.why),
      signal: ending.signal,
      ...shown.listeners,
    });
    shown.end();
    if (report === null) print(`version ${version.id} of ${name} has nothing to be compared with`);
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

export const rebuild: Command = {
  usage: [
    'rebuild PROJECTION [--from-scratch] [--promote] [--background] [--why TEXT]',
    'rebuild PROJECTION --key KEY|ADDRESS [--why TEXT]',
    'rebuild pause PROJECTION',
    'rebuild resume PROJECTION',
  ],
  async run([first, ...rest], print) {
    if (first === 'pause' || first === 'resume') return pauseOrResume(first === 'pause', rest, print);
    const { values, positionals } = parseArgs({
      args: [first ?? '', ...rest].filter((argument) => argument !== ''),
      options: {
        key: { type: 'string' },
        'from-scratch': { type: 'boolean', default: false },
        promote: { type: 'boolean', default: false },
        background: { type: 'boolean', default: false },
        why: { type: 'string' },
      },
      allowPositionals: true,
    });
    const projection = projectionOf(positionals);
    const { key, promote, background, why, 'from-scratch': fromScratch } = values;
    if (key === undefined) {
      const build = background ? inBackground : rebuildAll;
      return build(projection, { promote, fromScratch, why }, print);
    }
    if (promote || fromScratch || background)
      throw usageError('--key rebuilds one entity in the versions that there are');
    return rebuildOne(projection, key, why, print);
  },
};
