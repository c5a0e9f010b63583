import { setTimeout as pause } from 'node:timers/promises';
import { artistProjection } from '../../../projections/artist/project.ts';
import { documentTable, liveVersion } from '../../../projections/store/version.ts';
import { issueKey } from '../../../services/access/keys.ts';
import { artistOf, clusterIdOf } from '../data/artist.ts';
import { type ChangeEvent, changeEvent } from '../data/events.ts';
import { momentum } from '../data/facts.ts';
import { startProgram } from '../processes/program.ts';
import { startQueryProcess } from '../processes/query-service.ts';
import { step } from '../progress.ts';
import type { Figure } from '../report.ts';
import { percentile } from '../statistics.ts';
import { sendEvents } from './event-log.ts';
import { appliedRecords, processOptions, type Stage, startIngest } from './stage.ts';

const CHANGES = 100;
const CHANGE_EVERY_MS = 200;
const LOOK_EVERY_MS = 10;
const MOST_P95_MS = 1_000;
const PATIENCE_MS = 30_000;
const REPEATED = 1_000;
const GROUP = 'visible';

/** How long a change takes from the event log to the answer of the service, and that repetition writes nothing. */
export async function* visibleFigures(stage: Stage): AsyncGenerator<Figure> {
  const { database, log } = stage;
  const { prefix } = await log.createTopics();
  const { key } = await issueKey(database.pool, {
    environment: 'test',
    label: 'benchmark',
    tier: 'standard',
    expiresAt: null,
  });
  const ingest = await startIngest(stage, prefix, GROUP);
  const projector = await startProgram('workers/project/main.ts', (message) => message === 'projecting', {
    ...processOptions(stage, 'project'),
    env: { DATABASE_URL: database.url },
  });
  const service = await startQueryProcess(database.url, processOptions(stage, 'query'));
  const ask = dossierReader(service.port, key);
  // The machine is to be idle, and not at writing out what the measurements before left.
  await database.pool.query('checkpoint');
  await step('one change to warm up', () => changeUntilVisible(stage, prefix, 0, ask));
  const latencies = await step(`${CHANGES} single changes`, () => changeOneByOne(stage, prefix, ask));
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
  for (const program of [service, projector, ingest]) await program.stop();
}

type AskEvents = (index: number) => Promise<number | null>;

/** Reads what an artist's dossier says of recent events. */
function dossierReader(port: number, key: string): AskEvents {
  return async (index) => {
    const url = `http://127.0.0.1:${port}/api/v2/artist/${clusterIdOf(index)}?fields=emergence`;
    const response = await fetch(url, { headers: { 'x-api-key': key } });
    if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
    const body = (await response.json()) as { emergence: { signals: { eventsRecent: number } | null } };
    return body.emergence.signals?.eventsRecent ?? null;
  };
}

/** A change of an artist, with a count of recent events that no generated row has. */
function momentumEvent(stage: Stage, index: number, events: number, position: number): ChangeEvent {
  const { artist, random } = artistOf(stage.options.seed, index);
  const { source, row } = momentum(artist, random);
  return changeEvent({ source, row: { ...row, events_recent: events } }, 'u', position);
}

let nextPosition = 0;

async function changeUntilVisible(
  stage: Stage,
  prefix: string,
  index: number,
  ask: AskEvents,
): Promise<number> {
  const position = nextPosition++;
  const events = 1_000_000 + position;
  const start = performance.now();
  await sendEvents(stage.log.producer, prefix, [momentumEvent(stage, index, events, position)]);
  while ((await ask(index)) !== events) {
    if (performance.now() - start > PATIENCE_MS)
      throw new Error(`a change was not served within ${PATIENCE_MS} ms`);
    await pause(LOOK_EVERY_MS);
  }
  return performance.now() - start;
}

async function changeOneByOne(stage: Stage, prefix: string, ask: AskEvents): Promise<number[]> {
  const running: Promise<number>[] = [];
  for (let change = 1; change <= CHANGES; change++) {
    running.push(changeUntilVisible(stage, prefix, change % stage.options.artists, ask));
    await pause(CHANGE_EVERY_MS);
  }
  return Promise.all(running);
}

/** How many documents are written when events come again, and when newer ones bring equal rows. */
async function writtenByRepetition(stage: Stage, prefix: string): Promise<number> {
  const positions = Array.from({ length: REPEATED }, () => nextPosition++);
  const eventsAt = (shift: number) =>
    positions.map((position, index) =>
      momentumEvent(stage, index % stage.options.artists, 7_000_000, position + shift),
    );
  await deliver(stage, prefix, eventsAt(0));
  const { pool } = stage.database;
  const { rows: before } = await pool.query<{ next: string }>(
    'select pg_snapshot_xmax(pg_current_snapshot())::text as next',
  );
  await deliver(stage, prefix, [...eventsAt(0), ...eventsAt(REPEATED)]);
  nextPosition += REPEATED;
  const version = await liveVersion(pool, artistProjection.name);
  if (version === null) throw new Error('there is no version to look at');
  const { rows } = await pool.query<{ written: number }>(
    `select count(*)::int4 as written from ${documentTable(version)} where xmin::text::bigint >= $1::bigint`,
    [before[0]?.next],
  );
  return rows[0]?.written ?? Number.NaN;
}

/** Sends events and waits until they are applied and no mark is left. */
async function deliver(stage: Stage, prefix: string, events: readonly ChangeEvent[]): Promise<void> {
  const { pool } = stage.database;
  const goal = (await appliedRecords(stage, prefix, GROUP)) + events.length;
  await sendEvents(stage.log.producer, prefix, events);
  const deadline = performance.now() + PATIENCE_MS;
  const isDone = async (): Promise<boolean> => {
    if ((await appliedRecords(stage, prefix, GROUP)) < goal) return false;
    const { rows } = await pool.query<{ isLeft: boolean }>(
      'select exists (select from projection.mark) as "isLeft"',
    );
    return rows[0]?.isLeft === false;
  };
  while (!(await isDone())) {
    if (performance.now() > deadline) throw new Error(`events were not worked off within ${PATIENCE_MS} ms`);
    await pause(LOOK_EVERY_MS);
  }
}
