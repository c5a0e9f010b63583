import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { versionsOf } from '../../../projections/engine/store/version.ts';
import { artistProjection } from '../../../projections/models/artist/project.ts';
import { AUTOMATIC } from '../../../workers/project/decision.ts';
import type { SwitchResult } from '../../../workers/project/switch-once.ts';
import { HOLD_MS } from '../../../workers/project/switch-request.ts';
import { promoteVersion, rollBack } from '../../../workers/project/switch-version.ts';
import { pollUntil } from '../../support/poll.ts';
import { generateChanges } from '../data/changes.ts';
import { sendEvents } from '../ingest/event-log.ts';
import { appliedRecords, type IngestStage, isProjected } from '../ingest/stage.ts';
import type { Figure } from '../report.ts';
import { percentile } from '../statistics.ts';

const SWITCHES = 20;
const SWITCH_EVERY_MS = 500;
const LOOK_EVERY_MS = 50;
/** Changes whose projection is timed to find the highest rate. */
const TIMED_CHANGES = 8_000;
/** Numbers beyond those of the steady changes, and below those of single ones. */
const FIRST_CHANGE = 400_000_000;
const PATIENCE_MS = 120_000;

export interface Switching extends SwitchResult {
  readonly from: number;
  readonly to: number;
  /** How much older the oldest unprojected change of the live version became, at most. */
  readonly addedMs: number;
}

interface Switches {
  readonly done: readonly Switching[];
  readonly failures: readonly string[];
}

/** The first number after the timed changes: those with smaller ones count as older. */
export const NEXT_CHANGE = FIRST_CHANGE + TIMED_CHANGES;

/** Changes a second that the pipeline applies and projects into the live version and another one. */
export async function highestRate(
  stage: IngestStage,
  { prefix, group, artists }: { readonly prefix: string; readonly group: string; readonly artists: number },
): Promise<number> {
  const { log, options } = stage;
  const wait = (goal: number): Promise<unknown> =>
    pollUntil(
      async () => (await appliedRecords(stage, prefix, group)) >= goal && (await isProjected(stage)),
      {
        what: 'all changes are projected',
        timeoutMs: PATIENCE_MS,
        intervalMs: LOOK_EVERY_MS,
      },
    );
  await wait(0);
  const goal = (await appliedRecords(stage, prefix, group)) + TIMED_CHANGES;
  const changes = generateChanges({
    seed: options.seed,
    artists,
    from: FIRST_CHANGE,
    to: NEXT_CHANGE,
  });
  const start = performance.now();
  await sendEvents(log.producer, prefix, changes);
  await wait(goal);
  return TIMED_CHANGES / ((performance.now() - start) / 1_000);
}

/** Promotes the ready version, and rolls back and forth. */
export async function switchBackAndForth({ database: { pool, registry } }: IngestStage): Promise<Switches> {
  const ready = (await versionsOf(pool, artistProjection.name)).find(({ state }) => state === 'ready');
  if (ready === undefined) throw new Error('no version is ready');
  const done: Switching[] = [];
  const failures: string[] = [];
  for (let turn = 0; turn < SWITCHES; turn++) {
    const isPromotion = done.length === 0;
    const from = Date.now();
    const watch = watchStaleness(pool);
    try {
      const switched = await (isPromotion
        ? promoteVersion(pool, artistProjection, registry, { id: ready.id, decision: AUTOMATIC })
        : rollBack(pool, artistProjection, registry, AUTOMATIC));
      done.push({ ...switched, from, to: Date.now(), addedMs: await watch.stop() });
    } catch (error) {
      failures.push(String(error));
      await watch.stop();
    }
    await pause(SWITCH_EVERY_MS);
  }
  return { done, failures };
}

/** The age of the oldest change that the live version lacks. */
const STALENESS = `
  select coalesce(extract(epoch from clock_timestamp() - min(marked_at)), 0)::float8 * 1000 as ms
  from projection.mark join projection.version on version.id = mark.version
  where projection = $1 and state = 'live'`;

function watchStaleness(pool: Pool): { stop(): Promise<number> } {
  let isEnding = false;
  const read = async (): Promise<number> => {
    const { rows } = await pool.query<{ ms: number }>(STALENESS, [artistProjection.name]);
    return rows[0]?.ms ?? 0;
  };
  const watching = (async () => {
    const first = await read();
    let most = first;
    while (!isEnding) {
      await pause(LOOK_EVERY_MS);
      most = Math.max(most, await read());
    }
    return most - first;
  })();
  return {
    stop() {
      isEnding = true;
      return watching;
    },
  };
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

export function* switchFigures({ done, failures }: Switches, perSecond: number): Generator<Figure> {
  const took = done.map(({ from, to }) => to - from);
  yield {
    name: 'failed switches at the highest rate that is projected',
    value: failures.length,
    unit: '',
    target: { most: 0 },
    note:
      `of ${SWITCHES}, at ${Math.round(perSecond)} changes/s; p50 ${seconds(percentile(took, 0.5))}, most ${seconds(Math.max(...took))}` +
      (failures[0] === undefined ? '' : `; ${failures[0]}`),
  };
  yield {
    name: 'growth of the staleness of what is served during a switch, at most',
    value: Math.max(0, ...done.map(({ addedMs }) => addedMs)) / 1_000,
    unit: 's',
    target: { most: HOLD_MS / 1_000 },
    note: 'with what the load adds itself',
  };
}
