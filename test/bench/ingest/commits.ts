import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { notify } from '../../../db/notify.ts';
import { transaction } from '../../../db/transaction.ts';
import type { SubjectRef } from '../../../projections/engine/rows.ts';
import { MARK_CHANNEL, markDirty } from '../../../projections/engine/store/mark.ts';
import { liveVersion, type Version } from '../../../projections/engine/store/version.ts';
import { artistProjection } from '../../../projections/models/artist/project.ts';
import { step } from '../progress.ts';
import type { Figure } from '../report.ts';
import type { IngestStage } from './stage.ts';

const WRITERS = 4;
const MS = 2_000;
const SAMPLE_EVERY_MS = 10;
const LEAST_SHARE = 0.8;

interface Commits {
  readonly perSecond: number;
  /** Share of samples, in percent, in which a writer waited for the lock that the commit of a notification takes. */
  readonly waiting: number;
}

/** What a transaction does with notifications: nothing, or one after its commit, or one inside, as before. */
type Notifying = 'never' | 'after the commit' | 'inside';

/** Transactions of concurrent writers that mark documents dirty, which no lock may put in a row. */
export async function* commitFigures(stage: IngestStage): AsyncGenerator<Figure> {
  const { pool } = stage.database;
  const version = await liveVersion(pool, artistProjection.name);
  if (version === null) throw new Error('no version is live');
  const measure = (notifying: Notifying): Promise<Commits> =>
    step(`${WRITERS} writers, notifying ${notifying}`, () => commitsOf(pool, version, notifying));
  const inside = await measure('inside');
  const never = await measure('never');
  const after = await measure('after the commit');
  await pool.query('truncate projection.mark');
  yield {
    name: `commits of ${WRITERS} writers that notify after them`,
    value: after.perSecond,
    unit: '/s',
    ceiling: { name: 'without notifications', value: never.perSecond },
    target: { least: LEAST_SHARE },
    note:
      `${after.waiting.toFixed(1)} % of samples wait for the lock of notifications; ` +
      `notifying inside: ${Math.round(inside.perSecond)}/s, ${inside.waiting.toFixed(1)} %`,
  };
}

async function commitsOf(pool: Pool, version: Version, notifying: Notifying): Promise<Commits> {
  const end = performance.now() + MS;
  let commits = 0;
  const write = async (writer: number): Promise<void> => {
    while (performance.now() < end) {
      await transaction(pool, async (client) => {
        const keys = new Set<SubjectRef>([`artist:${writer} ${commits}`]);
        await markDirty(client, [{ versions: [version], keys }]);
        if (notifying === 'inside') await client.query(`select pg_notify('${MARK_CHANNEL}', '')`);
      });
      commits++;
      if (notifying === 'after the commit') void notify(pool, MARK_CHANNEL);
    }
  };
  const sampling = sampleWaits(pool, end);
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  return { perSecond: commits / (MS / 1_000), waiting: await sampling };
}

/** Notifications lock the database with the number 0, which stands for all of them. */
const WAITS = `
  select count(*)::int4 as waits from pg_locks
  where locktype = 'object' and classid = 'pg_database'::regclass and objid = 0 and not granted`;

async function sampleWaits(pool: Pool, end: number): Promise<number> {
  let samples = 0;
  let waits = 0;
  while (performance.now() < end) {
    const { rows } = await pool.query<{ waits: number }>(WAITS);
    samples++;
    if ((rows[0]?.waits ?? 0) > 0) waits++;
    await pause(SAMPLE_EVERY_MS);
  }
  return (100 * waits) / samples;
}
