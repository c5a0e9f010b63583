import type { ClientBase } from 'pg';
import { int2Array, int8Array, textArray, timestamptzArray } from '../../../db/arrays.ts';
import { LOCKS } from '../../../db/locks.ts';
import type { Source } from '../../../projections/contracts/contract.ts';
import type { SourceRegistry } from '../../../projections/engine/projection.ts';
import { markAll } from '../../../projections/engine/store/mark.ts';
import type { KeptVersion } from '../../../projections/engine/store/version.ts';
import type { DecodedRecord, Truncate } from '../decode/envelope.ts';
import type { RowChange } from './fold.ts';

/** Sources that have delivered a row. That never becomes untrue, so each process reads it once. */
const deliveredSources = new WeakMap<SourceRegistry, Set<number>>();

/**
 * Marks all documents that read a source when its first row comes, because `honest_gap` becomes `empty` in each of them.
 * The lock keeps projectors out: one that read the source before its delivery could write after the marking.
 */
export async function announceFirstDeliveries(
  client: ClientBase,
  registry: SourceRegistry,
  options: { readonly changes: readonly RowChange[]; readonly versions: readonly KeptVersion[] },
): Promise<void> {
  const { changes, versions } = options;
  const known = deliveredSources.get(registry) ?? new Set<number>();
  deliveredSources.set(registry, known);
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
    versions.filter((version) => [...silent.values()].some(({ table }) => version.reads.has(table))),
  );
}

export interface NotedChanges {
  readonly changes: readonly RowChange[];
  readonly truncates: readonly Truncate[];
  /** Missing if the changes did not come through the log. */
  readonly lags?: StageLags | undefined;
}

/** Stores the time of each source's newest change, the lags of its changes, and the connector that wrote them. */
export async function noteChanges(
  client: ClientBase,
  registry: SourceRegistry,
  { changes, truncates, lags }: NotedChanges,
): Promise<void> {
  const newest = new Map<number, number>();
  for (const change of [...changes, ...truncates]) {
    const timeMs = change.kind === 'tombstone' ? change.timestamp : change.sourceTimeMs;
    const id = registry.idOf(change.source);
    if (timeMs !== null && timeMs > (newest.get(id) ?? Number.NEGATIVE_INFINITY)) newest.set(id, timeMs);
  }
  if (lags === undefined || lags.bySource.size === 0) await moveForward(client, newest);
  else await moveWithLags(client, newest, lags);
}

/** Batches that lock the same sources in the same order cannot deadlock. */
const LOCKED = `locked as (
    select id from ingest.source where id = any($1::int2[]) order by id for no key update
  )`;

/** Periods of five minutes: those of an hour, and the current one. */
const PEAK_SLOTS = 13;

/**
 * Batches of one source run concurrently, so the stored lag is the greatest of the last ten seconds. It does not include
 * the time of the commit. Most batches are no peak and write none.
 */
const MOVE_WITH_LAGS = `
  with ${LOCKED},
  batch as (
    select batch.* from unnest($1::int2[], $2::timestamptz[], $3::int8[], $4::int8[], $5::int8[], $6::text[])
      batch (id, newest_at, connector_ms, kafka_ms, apply_ms, connector)
      join locked using (id)
  ),
  moved as (
    update ingest.source set
      newest_change_at = greatest(newest_change_at, batch.newest_at),
      connector = coalesce(batch.connector, source.connector),
      connector_lag_ms = greatest(case when lag_since > now() - interval '10 seconds' then connector_lag_ms end,
        batch.connector_ms),
      kafka_lag_ms = greatest(case when lag_since > now() - interval '10 seconds' then kafka_lag_ms end,
        batch.kafka_ms),
      apply_lag_ms = greatest(case when lag_since > now() - interval '10 seconds' then apply_lag_ms end,
        batch.apply_ms),
      lag_since = case when lag_since > now() - interval '10 seconds' then lag_since else now() end
    from batch
    where source.id = batch.id
  )
  insert into ingest.lag_peak as stored (source, slot, since, connector_ms, kafka_ms, apply_ms)
  select id, mod(extract(epoch from since)::int8 / 300, ${PEAK_SLOTS}), since, connector_ms, kafka_ms, apply_ms
  from batch cross join date_bin('5 minutes', now(), 'epoch') since
  where connector_ms is not null
  order by id
  on conflict (source, slot) do update set
    since = excluded.since,
    connector_ms = greatest(case when stored.since = excluded.since then stored.connector_ms end, excluded.connector_ms),
    kafka_ms = greatest(case when stored.since = excluded.since then stored.kafka_ms end, excluded.kafka_ms),
    apply_ms = greatest(case when stored.since = excluded.since then stored.apply_ms end, excluded.apply_ms)
  where stored.since <> excluded.since or stored.connector_ms < excluded.connector_ms
    or stored.kafka_ms < excluded.kafka_ms or stored.apply_ms < excluded.apply_ms`;

async function moveWithLags(
  client: ClientBase,
  newest: ReadonlyMap<number, number>,
  { readAtMs, bySource }: StageLags,
): Promise<void> {
  const ids = [...newest.keys()].sort((a, b) => a - b);
  const applyMs = lagBetween(readAtMs, Date.now());
  await client.query({
    name: 'move-with-lags',
    text: MOVE_WITH_LAGS,
    values: [
      int2Array(ids),
      timestamptzArray(ids.map((id) => notAhead(newest.get(id) ?? 0))),
      int8Array(ids.map((id) => bySource.get(id)?.connectorMs ?? null)),
      int8Array(ids.map((id) => bySource.get(id)?.kafkaMs ?? null)),
      int8Array(ids.map(() => applyMs)),
      textArray(ids.map((id) => bySource.get(id)?.connector ?? null)),
    ],
  });
}

/** The clocks of producers may run ahead of ours by so many milliseconds. */
const CLOCK_SKEW_MS = 60_000;

/** Otherwise a dead producer whose clock ran ahead would look fresh for that long. */
export const notAhead = (timeMs: number): number => Math.min(timeMs, Date.now() + CLOCK_SKEW_MS);

async function moveForward(client: ClientBase, timesMs: ReadonlyMap<number, number>): Promise<void> {
  if (timesMs.size === 0) return;
  const ids = [...timesMs.keys()].sort((a, b) => a - b);
  await client.query({
    name: 'move-newest-change',
    text: `with ${LOCKED}
           update ingest.source set newest_change_at = newest.at
           from unnest($1::int2[], $2::timestamptz[]) newest (id, at) join locked using (id)
           where source.id = newest.id and (newest_change_at is null or newest_change_at < newest.at)`,
    values: [int2Array(ids), timestamptzArray(ids.map((id) => notAhead(timesMs.get(id) ?? 0)))],
  });
}

/** The lags of a batch's changes, in milliseconds: the greatest of each source. */
export interface StageLags {
  /** When the batch was read, in milliseconds since 1970. */
  readonly readAtMs: number;
  readonly bySource: ReadonlyMap<number, LogLags>;
}

interface LogLags {
  /** From the producer's commit to the log. */
  readonly connectorMs: number;
  /** From the log to the reader. */
  readonly kafkaMs: number;
  /** The connector that wrote the last of them. */
  readonly connector: string;
}

/** A longer lag comes from a wrong clock, or says no more than this. */
const LONGEST_LAG_MS = 30 * 86_400_000;
const lagBetween = (fromMs: number, toMs: number): number =>
  Math.min(Math.max(0, toMs - fromMs), LONGEST_LAG_MS);

/** Measures the lags of a batch, within 0 and 30 days whatever the clocks say. Records without a timestamp (null, or -1 in Kafka) do not count. */
export function measureLags(
  records: readonly DecodedRecord[],
  readAtMs: number,
  registry: SourceRegistry,
): StageLags {
  const bySource = new Map<number, LogLags>();
  for (const { record, decoded } of records) {
    if (record.timestamp === null || record.timestamp < 0 || !('sourceTimeMs' in decoded)) continue;
    const id = registry.idOf(decoded.source);
    const greatest = bySource.get(id);
    const loggedMs = Math.min(record.timestamp, readAtMs);
    bySource.set(id, {
      connectorMs: Math.max(greatest?.connectorMs ?? 0, lagBetween(decoded.sourceTimeMs, loggedMs)),
      kafkaMs: Math.max(greatest?.kafkaMs ?? 0, lagBetween(loggedMs, readAtMs)),
      // Topics are named by the connector unless it routes them elsewhere, and then its changes say its name.
      connector: decoded.connector ?? record.topic.slice(0, -decoded.source.table.length - 1),
    });
  }
  return { readAtMs, bySource };
}
