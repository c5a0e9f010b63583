import { setTimeout as pause } from 'node:timers/promises';
import { documentTable, liveVersion } from '../../../projections/engine/store/version.ts';
import { artistProjection } from '../../../projections/models/artist/project.ts';
import { pollUntil } from '../../support/poll.ts';
import { artistOf, clusterIdOf } from '../data/artist.ts';
import { type ChangeEvent, changeEvent } from '../data/events.ts';
import { momentum } from '../data/facts.ts';
import { step } from '../progress.ts';
import type { Figure } from '../report.ts';
import { percentile } from '../statistics.ts';
import { sendEvents } from './event-log.ts';
import { appliedRecords, type IngestStage, isProjected, startPipeline } from './stage.ts';

const CHANGES = 100;
const CHANGE_EVERY_MS = 200;
const LOOK_EVERY_MS = 10;
const MOST_P95_MS = 1_000;
const REPEATED = 1_000;
const GROUP = 'visible';

/** How long a change takes from the event log to the answer of the service, and that repetition writes nothing. */
export async function* visibleFigures(stage: IngestStage): AsyncGenerator<Figure> {
  const pipeline = await startPipeline(stage, GROUP);
  const { prefix, service } = pipeline;
  const changes: Changes = { stage, prefix, readEvents: dossierReader(service.port, pipeline.key) };
  // Or PostgreSQL would write out the data of the measurements before.
  await stage.database.pool.query('checkpoint');
  await step('one change to warm up', () => changeUntilVisible(changes, 0));
  const latencies = await step(`${CHANGES} single changes`, () => changeOneByOne(changes));
  yield {
    name: 'a change until it is served: p95',
    value: percentile(latencies, 0.95),
    unit: 'ms',
    target: { most: MOST_P95_MS },
    note: `p50 ${percentile(latencies, 0.5).toFixed(0)} ms, most ${Math.max(...latencies).toFixed(0)} ms, ${latencies.length} changes`,
  };
  yield {
    name: 'documents written by repeated and equal events',
    value: await step('repeated and equal events', () => writtenByRepetition(stage, prefix)),
    unit: '',
    target: { most: 0 },
    note: `${REPEATED} repeated events and ${REPEATED} newer ones with equal rows`,
  };
  await pipeline.stop();
}

interface Changes {
  readonly stage: IngestStage;
  readonly prefix: string;
  /** Reads the number of recent events from an artist's dossier. */
  readonly readEvents: (index: number) => Promise<number | null>;
}

function dossierReader(port: number, key: string): Changes['readEvents'] {
  return async (index) => {
    const url = `http://127.0.0.1:${port}/api/v2/artist/${clusterIdOf(index)}?fields=emergence`;
    const response = await fetch(url, { headers: { 'x-api-key': key } });
    if (response.status !== 200) throw new Error(`${url} responded with ${response.status}`);
    const body = (await response.json()) as { emergence: { signals: { eventsRecent: number } | null } };
    return body.emergence.signals?.eventsRecent ?? null;
  };
}

/** A change of an artist, with a count of recent events that no generated row has. */
function momentumEvent(
  { options }: IngestStage,
  { index, events, position }: { readonly index: number; readonly events: number; readonly position: number },
): ChangeEvent {
  const { artist, random } = artistOf(options.seed, index);
  const { source, row } = momentum(artist, random);
  return changeEvent({ source, row: { ...row, events_recent: events } }, 'u', position);
}

let nextPosition = 0;

async function changeUntilVisible({ stage, prefix, readEvents }: Changes, index: number): Promise<number> {
  const position = nextPosition++;
  const events = 1_000_000 + position;
  const start = performance.now();
  await sendEvents(stage.log.producer, prefix, [momentumEvent(stage, { index, events, position })]);
  const isServed = async (): Promise<boolean> => (await readEvents(index)) === events;
  await pollUntil(isServed, { what: `change ${position} is served`, intervalMs: LOOK_EVERY_MS });
  return performance.now() - start;
}

async function changeOneByOne(changes: Changes): Promise<number[]> {
  const running: Promise<number>[] = [];
  for (let change = 1; change <= CHANGES; change++) {
    running.push(changeUntilVisible(changes, change % changes.stage.options.artists));
    await pause(CHANGE_EVERY_MS);
  }
  return Promise.all(running);
}

/** How many documents are written when events come again, and when newer ones bring equal rows. */
async function writtenByRepetition(stage: IngestStage, prefix: string): Promise<number> {
  const positions = Array.from({ length: REPEATED }, () => nextPosition++);
  const eventsAt = (shift: number) =>
    positions.map((position, index) =>
      momentumEvent(stage, {
        index: index % stage.options.artists,
        events: 7_000_000,
        position: position + shift,
      }),
    );
  await deliver(stage, prefix, eventsAt(0));
  const { pool } = stage.database;
  const { rows: before } = await pool.query<{ next: string }>(
    'select pg_snapshot_xmax(pg_current_snapshot())::text as next',
  );
  await deliver(stage, prefix, [...eventsAt(0), ...eventsAt(REPEATED)]);
  nextPosition += REPEATED;
  const version = await liveVersion(pool, artistProjection.name);
  if (version === null) throw new Error('no version is live');
  const { rows } = await pool.query<{ written: number }>(
    `select count(*)::int4 as written from ${documentTable(version)} where xmin::text::bigint >= $1::bigint`,
    [before[0]?.next],
  );
  return rows[0]?.written ?? Number.NaN;
}

/** Sends events and waits until they are applied and no mark is left. */
async function deliver(stage: IngestStage, prefix: string, events: readonly ChangeEvent[]): Promise<void> {
  const goal = (await appliedRecords(stage, prefix, GROUP)) + events.length;
  await sendEvents(stage.log.producer, prefix, events);
  const isDone = async (): Promise<boolean> =>
    (await appliedRecords(stage, prefix, GROUP)) >= goal && (await isProjected(stage));
  await pollUntil(isDone, { what: 'all events are projected', intervalMs: LOOK_EVERY_MS });
}
