import { transaction } from '../../../db/transaction.ts';
import { catalogMaster } from '../../../projections/contracts/catalog/master.ts';
import { markDirty } from '../../../projections/engine/store/mark.ts';
import { liveVersion } from '../../../projections/engine/store/version.ts';
import { searchProjection } from '../../../projections/models/search/project.ts';
import { drain } from '../../../workers/project/drain.ts';
import { fillMirror } from '../../support/ingest/fill-mirror.ts';
import { pollUntil } from '../../support/poll.ts';
import { rowsOf } from '../../support/rows/source-rows.ts';
import type { BenchDatabase } from '../database.ts';
import { sendSearch, type Target } from './send-search.ts';

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
  const isFound = async (): Promise<boolean> => {
    const { body } = await sendSearch(target, query);
    return body.results[0]?.master_id === id;
  };
  await pollUntil(isFound, { what: `a search finds ${q}`, timeoutMs: GIVE_UP_MS, intervalMs: LOOK_EVERY_MS });
  return performance.now() - start;
}
