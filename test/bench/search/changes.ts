import { setTimeout as pause } from 'node:timers/promises';
import { transaction } from '../../../db/transaction.ts';
import { searchProjection } from '../../../projections/search/project.ts';
import { catalogMaster } from '../../../projections/sources/catalog/master.ts';
import { markDirty } from '../../../projections/store/mark.ts';
import { liveVersion } from '../../../projections/store/version.ts';
import { drain } from '../../../workers/project/drain.ts';
import { fillMirror } from '../../fill-mirror.ts';
import { rowsOf } from '../../rows/source-rows.ts';
import type { BenchDatabase } from '../database.ts';
import { ask, type Target } from './ask.ts';

const CHANGES = 20;
const LOOK_EVERY_MS = 50;
const GIVE_UP_MS = 60_000;

/** Milliseconds from a change in the mirror until a search finds it, for some changes one after the other. */
export async function timesUntilFound(database: BenchDatabase, target: Target): Promise<number[]> {
  const times: number[] = [];
  for (let number = 0; number < CHANGES; number++) times.push(await timeUntilFound(database, target, number));
  return times;
}

async function timeUntilFound(
  { pool, registry }: BenchDatabase,
  target: Target,
  number: number,
): Promise<number> {
  const id = 2_000_000_000 + number;
  const q = `newcomer${number}`;
  const start = performance.now();
  await fillMirror(pool, registry, [
    rowsOf(catalogMaster, { master_id: id, title: q, catalog_artist_ids: [], artist_cluster_id: null }),
  ]);
  const version = await liveVersion(pool, searchProjection.name);
  if (version === null) throw new Error('no documents are served');
  await transaction(pool, (client) =>
    markDirty(client, [{ versions: [version], keys: new Set([`master:${id}`] as const) }]),
  );
  await drain(pool, registry);
  const query = { kind: '', q, filters: {}, offset: 0, limit: 1 };
  while (performance.now() - start < GIVE_UP_MS) {
    const { body } = await ask(target, query);
    if (body.results[0]?.master_id === id) return performance.now() - start;
    await pause(LOOK_EVERY_MS);
  }
  throw new Error(`${q} was not found within ${GIVE_UP_MS / 1_000} s`);
}
