import { setTimeout as pause } from 'node:timers/promises';
import { artistProjection } from '../../../projections/models/artist/project.ts';
import { buildVersion } from '../../../workers/project/build-version.ts';
import { pollUntil } from '../../support/poll.ts';
import {
  appliedRecords,
  type IngestStage,
  isProjected,
  processOptions,
  startPipeline,
} from '../ingest/stage.ts';
import type { Observations, ObserverJob } from '../processes/observer.ts';
import { startWorker } from '../processes/program.ts';
import type { TrafficJob } from '../processes/traffic.ts';
import { step } from '../progress.ts';
import type { Figure } from '../report.ts';
import { percentile } from '../statistics.ts';
import { type Builder, dropOthers, most, rateOf } from './stage.ts';
import { highestRate, NEXT_CHANGE, type Switching, switchBackAndForth, switchFigures } from './switches.ts';

const EVENTS_PER_SECOND = 1_000;
const READS_PER_SECOND = 50;
const LEAST_SHARE = 0.4;
const MOST_VISIBLE_MS = 2_000;
const MOST_LOCKED_MS = 200;
const WARM_UP_MS = 3_000;
const LOOK_EVERY_MS = 50;
const PATIENCE_MS = 120_000;
/** Artists that nothing but the single changes is about. */
const PROBES = 100;
const GROUP = 'loaded';

/** A rebuild, a promotion and rollbacks while changes arrive through Kafka and dossiers are read. */
export async function* loadedFigures(
  stage: IngestStage,
  builders: readonly Builder[],
  ceiling: number,
): AsyncGenerator<Figure> {
  const { database, log, options } = stage;
  const probes = Math.min(PROBES, Math.ceil(options.artists / 10));
  const pipeline = await startPipeline(stage, GROUP, { REBUILD: 'off' });
  const { prefix, service, key } = pipeline;
  const traffic = startWorker<TrafficJob, number>('./traffic.ts', processOptions(stage, 'traffic'));
  const observer = startWorker<ObserverJob, Observations>('./observer.ts', processOptions(stage, 'witness'));
  const { brokers } = log;
  const { seed } = options;
  const artists = options.artists - probes;
  await traffic.run({ kind: 'start', brokers, prefix, seed, artists, perSecond: EVENTS_PER_SECOND, from: 0 });
  await pause(WARM_UP_MS);
  const observed: ObserverJob = {
    kind: 'start',
    brokers,
    prefix,
    port: service.port,
    key,
    seed,
    artists: options.artists,
    probes,
    readsPerSecond: READS_PER_SECOND,
  };
  await observer.run(observed);
  const start = performance.now();
  await step('rebuilding under load', () =>
    rateOf(builders, () => ({ kind: 'build', url: database.url }), most),
  );
  const throughIn = (performance.now() - start) / 1_000;
  const { perSecond, builtIn } = await builtRate(stage);
  // Reported first, because the next steps may time out on a machine that is too small for the changes.
  yield {
    name: `dossiers rebuilt while changes arrive`,
    value: perSecond,
    unit: '/s',
    ceiling: { name: 'two projectors on an idle system', value: ceiling },
    target: { least: LEAST_SHARE },
    note:
      `${EVENTS_PER_SECOND} changes/s asked for, ${READS_PER_SECOND} reads/s; all were there after ${builtIn.toFixed(0)} s, ` +
      `caught up and compared after ${throughIn.toFixed(0)} s`,
  };
  const loaded = await observer.run({ kind: 'stop' });
  const sent = await traffic.run({ kind: 'stop' });
  const seconds = (performance.now() - start) / 1_000 + WARM_UP_MS / 1_000;
  const highest = await step('finding the highest rate', () =>
    highestRate(stage, { prefix, group: GROUP, artists }),
  );
  await traffic.run({ kind: 'start', brokers, prefix, seed, artists, perSecond: highest, from: NEXT_CHANGE });
  await pause(WARM_UP_MS);
  await observer.run(observed);
  const switches = await step('promoting and rolling back', () => switchBackAndForth(stage));
  const switching = await observer.run({ kind: 'stop' });
  await traffic.run({ kind: 'stop' });
  await step('checking', () => checkDocuments(stage, prefix));
  yield { name: 'changes sent meanwhile', value: sent / seconds, unit: '/s' };
  yield visibleFigure(loaded);
  yield* observationFigures(loaded, switching, switches.done);
  yield* switchFigures(switches, highest);
  for (const program of [observer, traffic, pipeline]) await program.stop();
}

/** Dossiers a second of the version that is ready, and after how many seconds it held all of them. */
async function builtRate({
  database: { pool },
}: IngestStage): Promise<{ perSecond: number; builtIn: number }> {
  const { rows } = await pool.query<{ perSecond: number; builtIn: number }>(
    `select planned / seconds as "perSecond", seconds as "builtIn"
     from projection.version
       cross join lateral (select extract(epoch from ready_at - created_at)::float8 as seconds) took
     where projection = $1 and state = 'ready'`,
    [artistProjection.name],
  );
  const [rate] = rows;
  if (rate === undefined) throw new Error('no version is ready');
  return rate;
}

const visibleFigure = ({ visibleMs }: Observations): Figure => ({
  name: 'a change until it is served, during the rebuild: p95',
  value: percentile(visibleMs, 0.95),
  unit: 'ms',
  target: { most: MOST_VISIBLE_MS },
  note: `p50 ${percentile(visibleMs, 0.5).toFixed(0)} ms, most ${Math.max(...visibleMs).toFixed(0)} ms, ${visibleMs.length} changes`,
});

function* observationFigures(
  loaded: Observations,
  { readAt, readMs, ...switching }: Observations,
  switches: readonly Switching[],
): Generator<Figure> {
  const failure = loaded.firstFailure ?? switching.firstFailure;
  const duringSwitch = [...readMs].filter((ms, index) => {
    const at = readAt[index] ?? 0;
    return switches.some(({ from, to }) => at <= to && at + ms >= from);
  });
  yield {
    name: 'promotion and rollbacks: longest lock',
    value: Math.max(...switches.map(({ lockedMs }) => lockedMs)),
    unit: 'ms',
    target: { most: MOST_LOCKED_MS },
    note:
      `${switches.length} switches of ${Math.round(Math.max(...switches.map(({ from, to }) => to - from)))} ms at most in all; ` +
      `longest read beside them ${Math.round(Math.max(0, ...duringSwitch))} ms, of all reads ${Math.round(Math.max(...readMs))} ms`,
  };
  yield {
    name: 'failed or incomplete responses',
    value: loaded.failed + switching.failed,
    unit: '',
    target: { most: 0 },
    note: `of ${(loaded.reads + switching.reads).toLocaleString('en-US')}${failure === null ? '' : `; ${failure}`}`,
  };
}

/** After all changes are projected, both versions must equal one that is built from scratch. */
async function checkDocuments(stage: IngestStage, prefix: string): Promise<void> {
  const { pool, registry } = stage.database;
  let before = Number.NaN;
  const isQuiet = async (): Promise<boolean> => {
    const applied = await appliedRecords(stage, prefix, GROUP);
    const isUnchanged = applied === before;
    before = applied;
    return isUnchanged && (await isProjected(stage));
  };
  await pollUntil(isQuiet, {
    what: 'all changes are projected',
    timeoutMs: PATIENCE_MS,
    intervalMs: LOOK_EVERY_MS,
  });
  const { report } = await buildVersion(pool, artistProjection, registry);
  if (report === null || report.changed + report.added + report.gone + report.moving > 0)
    throw new Error(`documents are not what they should be: ${JSON.stringify(report)}`);
  await dropOthers(stage);
}
