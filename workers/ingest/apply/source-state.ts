import type { ClientBase } from 'pg';
import { int2Array, timestamptzArray } from '../../../db/arrays.ts';
import { LOCKS } from '../../../db/locks.ts';
import { projectionByName } from '../../../projections/index.ts';
import type { SourceRegistry } from '../../../projections/projection.ts';
import type { Source } from '../../../projections/sources/contract.ts';
import { markAll } from '../../../projections/store/mark.ts';
import type { Version } from '../../../projections/store/version.ts';
import type { Truncate } from '../decode/envelope.ts';
import type { Change } from './fold.ts';

/** Sources known to have delivered; it never becomes untrue, so each process asks once a source. */
const delivered = new WeakMap<SourceRegistry, Set<number>>();

/**
 * A source's first row turns `honest_gap` into `empty` in every document that reads it, so all of them are marked.
 * Projectors are held off meanwhile: one that still saw the source as silent could write after the marking.
 */
export async function announceDeliveries(
  client: ClientBase,
  changes: readonly Change[],
  versions: readonly Version[],
  registry: SourceRegistry,
): Promise<void> {
  const known = delivered.get(registry) ?? new Set<number>();
  delivered.set(registry, known);
  const silent = new Map<number, Source>();
  for (const { kind, source } of changes) {
    if (kind === 'upsert' && !known.has(registry.idOf(source))) silent.set(registry.idOf(source), source);
  }
  if (silent.size === 0) return;
  const { rows } = await client.query<{ id: number }>(
    'select id from ingest.source where id = any($1::int2[]) and first_change_at is not null',
    [int2Array([...silent.keys()])],
  );
  for (const { id } of rows) {
    known.add(id);
    silent.delete(id);
  }
  if (silent.size === 0) return;
  await client.query('select pg_advisory_xact_lock($1)', [LOCKS.delivery]);
  await client.query('update ingest.source set first_change_at = now() where id = any($1::int2[])', [
    int2Array([...silent.keys()]),
  ]);
  const tables = new Set([...silent.values()].map(({ table }) => table));
  await markAll(
    client,
    versions.filter(({ projection }) =>
      projectionByName.get(projection)?.reads.some(({ source }) => tables.has(source.table)),
    ),
  );
}

/** Moves the newest change of each source forward, for freshness. */
export async function noteChanges(
  client: ClientBase,
  changes: readonly Change[],
  truncates: readonly Truncate[],
  registry: SourceRegistry,
): Promise<void> {
  const newest = new Map<number, number>();
  for (const change of [...changes, ...truncates]) {
    const timeMs = change.kind === 'tombstone' ? change.timestamp : change.sourceTimeMs;
    const id = registry.idOf(change.source);
    if (timeMs !== null && timeMs > (newest.get(id) ?? Number.NEGATIVE_INFINITY)) newest.set(id, timeMs);
  }
  await moveForward(client, 'newest_change_at', newest);
}

/** Moves the newest heartbeat of sources forward. @param timesMs by source id, milliseconds since 1970 */
export const noteHeartbeats = (client: ClientBase, timesMs: ReadonlyMap<number, number>): Promise<void> =>
  moveForward(client, 'newest_heartbeat_at', timesMs);

async function moveForward(
  client: ClientBase,
  column: 'newest_change_at' | 'newest_heartbeat_at',
  timesMs: ReadonlyMap<number, number>,
): Promise<void> {
  if (timesMs.size === 0) return;
  const ids = [...timesMs.keys()].sort((a, b) => a - b);
  await client.query({
    name: `move-${column}`,
    text: `update ingest.source set ${column} = newest.at
           from unnest($1::int2[], $2::timestamptz[]) newest (id, at)
           where source.id = newest.id and (${column} is null or ${column} < newest.at)`,
    values: [int2Array(ids), timestamptzArray(ids.map((id) => timesMs.get(id) ?? 0))],
  });
}
