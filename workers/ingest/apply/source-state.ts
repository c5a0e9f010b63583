import type { ClientBase } from 'pg';
import { int2Array, int8Array, timestamptzArray } from '../../../db/arrays.ts';
import { LOCKS } from '../../../db/locks.ts';
import type { SourceRegistry } from '../../../projections/projection.ts';
import type { Source } from '../../../projections/sources/contract.ts';
import { markAll } from '../../../projections/store/mark.ts';
import type { Version } from '../../../projections/store/version.ts';
import { readsOf } from '../../../projections/store/version-reads.ts';
import type { Truncate } from '../decode/envelope.ts';
import type { Change } from './fold.ts';
import type { StageLags } from './stage-lags.ts';

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
  await markAll(
    client,
    versions.filter((version) => [...silent.values()].some(({ table }) => readsOf(version).has(table))),
  );
}

/**
 * Moves the newest change of each source forward, for freshness, and notes how long its changes were on their way.
 *
 * @param lags null where the changes did not come through the log
 */
export async function noteChanges(
  client: ClientBase,
  changes: readonly Change[],
  truncates: readonly Truncate[],
  registry: SourceRegistry,
  lags: StageLags | null = null,
): Promise<void> {
  const newest = new Map<number, number>();
  for (const change of [...changes, ...truncates]) {
    const timeMs = change.kind === 'tombstone' ? change.timestamp : change.sourceTimeMs;
    const id = registry.idOf(change.source);
    if (timeMs !== null && timeMs > (newest.get(id) ?? Number.NEGATIVE_INFINITY)) newest.set(id, timeMs);
  }
  if (lags === null || lags.bySource.size === 0) await moveForward(client, 'newest_change_at', newest);
  else await moveWithLags(client, newest, lags);
}

/** Two batches of the same sources then wait for each other rather than for ever. */
const LOCKED = `locked as (
    select id from ingest.source where id = any($1::int2[]) order by id for no key update
  )`;

/**
 * Batches of one source run side by side, so a lag is not simply that of the last: the greatest stands for some seconds,
 * whichever of them finds it. The time to commit is not in it.
 */
const MOVE_WITH_LAGS = `
  with ${LOCKED}
  update ingest.source set
    newest_change_at = greatest(newest_change_at, batch.newest_at),
    connector_lag_ms = greatest(case when lag_since > now() - interval '10 seconds' then connector_lag_ms end,
      batch.connector_ms),
    kafka_lag_ms = greatest(case when lag_since > now() - interval '10 seconds' then kafka_lag_ms end,
      batch.kafka_ms),
    apply_lag_ms = greatest(case when lag_since > now() - interval '10 seconds' then apply_lag_ms end,
      batch.apply_ms),
    lag_since = case when lag_since > now() - interval '10 seconds' then lag_since else now() end
  from unnest($1::int2[], $2::timestamptz[], $3::int8[], $4::int8[], $5::int8[])
    batch (id, newest_at, connector_ms, kafka_ms, apply_ms)
    join locked using (id)
  where source.id = batch.id`;

async function moveWithLags(
  client: ClientBase,
  newest: ReadonlyMap<number, number>,
  { readAtMs, bySource }: StageLags,
): Promise<void> {
  const ids = [...newest.keys()].sort((a, b) => a - b);
  const applyMs = Math.max(0, Date.now() - readAtMs);
  await client.query({
    name: 'move-with-lags',
    text: MOVE_WITH_LAGS,
    values: [
      int2Array(ids),
      timestamptzArray(ids.map((id) => notAhead(newest.get(id) ?? 0))),
      int8Array(ids.map((id) => bySource.get(id)?.connectorMs ?? null)),
      int8Array(ids.map((id) => bySource.get(id)?.kafkaMs ?? null)),
      int8Array(ids.map(() => applyMs)),
    ],
  });
}

/** Clocks of producers may run ahead of ours by this, in milliseconds. */
const CLOCK_SKEW_MS = 60_000;

/** A producer whose clock runs further ahead must not keep its source fresh for as long after it has died. */
const notAhead = (timeMs: number): number => Math.min(timeMs, Date.now() + CLOCK_SKEW_MS);

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
    text: `with ${LOCKED}
           update ingest.source set ${column} = newest.at
           from unnest($1::int2[], $2::timestamptz[]) newest (id, at) join locked using (id)
           where source.id = newest.id and (${column} is null or ${column} < newest.at)`,
    values: [int2Array(ids), timestamptzArray(ids.map((id) => notAhead(timesMs.get(id) ?? 0)))],
  });
}
