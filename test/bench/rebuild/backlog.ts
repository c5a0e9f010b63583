import { setTimeout as pause } from 'node:timers/promises';
import { countMarks } from '../../../projections/engine/store/version.ts';
import { generateChanges } from '../data/changes.ts';
import { sendEvents } from '../ingest/event-log.ts';
import { followApplied, type IngestStage, startIngest } from '../ingest/stage.ts';
import { residentMemory } from '../processes/resources.ts';
import { step } from '../progress.ts';
import type { Figure } from '../report.ts';
import { type Builder, dropOthers, liveArtists, most, rateOf } from './stage.ts';

const LOOK_EVERY_MS = 25;
const GROUP = 'backlog';
const LEAST_SHARE = 0.8;
const MOST_GROWTH = 1.15;
/** Numbers of changes beyond those of the measurement under load. */
const FIRST_CHANGE = 700_000_000;
/** Changes an artist has, as in an outage in which the same ones change again and again. */
const CHANGES_AN_ARTIST = 10;

interface Run {
  readonly perSecond: number;
  /** Memory of the worker in MiB at half time and at the end. */
  readonly memory: readonly [half: number, end: number];
}

/** A backlog of changes: in Kafka while ingest was down, then as dirty marks of a version without a projector. */
export async function* backlogFigures(
  stage: IngestStage,
  builders: readonly Builder[],
): AsyncGenerator<Figure> {
  const { pool, url } = stage.database;
  const artists = Math.max(
    1,
    Math.min(stage.options.artists, Math.floor(stage.options.events / CHANGES_AN_ARTIST)),
  );
  await dropOthers(stage);
  const alone = await step('ingesting the backlog, one version', () => ingestBacklog(stage, artists, 0));
  await pool.query('truncate projection.mark');
  await step('building a second version', () => rateOf(builders, () => ({ kind: 'build', url }), most));
  const beside = await step('ingesting the backlog, two versions', () => ingestBacklog(stage, artists, 1));
  yield {
    name: 'backlog ingested for two versions',
    value: beside.perSecond,
    unit: '/s',
    ceiling: { name: 'for one version', value: alone.perSecond },
    target: { least: LEAST_SHARE },
    note: `${stage.options.events.toLocaleString('en-US')} changes of ${artists.toLocaleString('en-US')} artists`,
  };
  yield memoryFigure('memory of ingest at the end against half time', beside.memory);
  const marks = await countMarks(pool, await liveArtists(stage));
  const caughtUp = await step('catching up', () => catchUpBacklog(stage, builders));
  // No target: one projection clears all marks of a document, so the rate grows with repeated changes.
  yield {
    name: 'backlog projected by two processes',
    value: caughtUp.perSecond,
    unit: '/s',
    ceiling: { name: 'ingest, one version', value: alone.perSecond },
    note: `${marks.toLocaleString('en-US')} marks`,
  };
  yield memoryFigure('memory of a builder that catches up, end against half time', caughtUp.memory);
  await dropOthers(stage);
}

const memoryFigure = (name: string, [half, end]: Run['memory']): Figure => ({
  name,
  value: end / half,
  unit: '',
  target: { most: MOST_GROWTH },
  note: `${Math.round(half)} MiB, then ${Math.round(end)} MiB`,
});

/** Sends all changes before the worker starts, and times it from its first batch on. */
async function ingestBacklog(stage: IngestStage, artists: number, round: number): Promise<Run> {
  const { log, options } = stage;
  const { prefix } = await log.createTopics();
  const from = FIRST_CHANGE + round * options.events;
  const changes = generateChanges({ seed: options.seed, artists, from, to: from + options.events });
  await sendEvents(log.producer, prefix, changes);
  const worker = await startIngest(stage, { prefix, group: GROUP });
  let first = { at: 0, applied: 0 };
  let half = 0;
  await followApplied(stage, { prefix, group: GROUP, total: options.events }, (applied) => {
    if (first.applied === 0) first = { at: performance.now(), applied };
    if (half === 0 && applied >= options.events / 2) half = residentMemory(worker.pid);
  });
  const perSecond = (options.events - first.applied) / ((performance.now() - first.at) / 1_000);
  const memory = [half, residentMemory(worker.pid)] as const;
  await worker.stop();
  return { perSecond, memory };
}

async function catchUpBacklog(stage: IngestStage, builders: readonly Builder[]): Promise<Run> {
  const { pool, url } = stage.database;
  const memoryOf = (): number => Math.max(...builders.map(({ pid }) => residentMemory(pid)));
  const { rows } = await pool.query<{ id: number }>(
    `select id from projection.version where projection = 'artist' and state = 'ready'`,
  );
  const ready = { id: rows[0]?.id ?? 0 };
  const total = await countMarks(pool, ready);
  let half = 0;
  let isThrough = false;
  const catching = rateOf(
    builders,
    () => ({ kind: 'catch-up', url }),
    () => stage.options.events,
  ).finally(() => {
    isThrough = true;
  });
  while (!isThrough) {
    await pause(LOOK_EVERY_MS);
    if (half === 0 && (await countMarks(pool, ready)) <= total / 2) half = memoryOf();
  }
  return { perSecond: await catching, memory: [half, memoryOf()] };
}
