import type { Pool } from 'pg';
import { textArray } from '../../../db/arrays.ts';
import { transaction } from '../../../db/transaction.ts';
import type { Source } from '../../../projections/contracts/contract.ts';
import type { Registry } from '../../../projections/engine/registry.ts';
import { ingestBatch } from '../apply/ingest-batch.ts';
import { readPosition, type TopicPartition } from '../apply/position.ts';
import type { DecodedRecord } from '../decode/envelope.ts';
import { removalVersion, startOfEpoch } from '../decode/version.ts';
import { keepRows } from './undo-replacement.ts';

/** Rows removed in one transaction. */
export const PAGE = 5_000;
/** A file that lacks a larger share of the rows may be incomplete, unless it has as many rows as expected. */
export const SHARE_LIMIT = 0.05;

/** A snapshot file that replaces all rows of its source. */
export interface Replacement {
  readonly id: number;
  readonly isFinished: boolean;
}

/** Begins a replacement, or continues the one that was begun for the same file. */
export function openReplacement(pool: Pool, { group, topic }: TopicPartition): Promise<Replacement> {
  return transaction(pool, async (client) => {
    const { rows: begun } = await client.query<{ id: number }>(
      'insert into ingest.replacement (topic) values ($1) on conflict do nothing returning id',
      [topic],
    );
    if (begun[0] !== undefined) {
      // With an old position, the lines before it would be skipped without noting their keys.
      await client.query('delete from ingest.position where consumer_group = $1 and topic = $2', [
        group,
        topic,
      ]);
      return { id: begun[0].id, isFinished: false };
    }
    const { rows } = await client.query<Replacement>(
      'select id, finished_at is not null as "isFinished" from ingest.replacement where topic = $1',
      [topic],
    );
    const [open] = rows;
    if (open === undefined) throw new Error(`the replacement by ${topic} was removed`);
    return open;
  });
}

/** Stores the keys of a chunk, before its position moves. Keys of invalid lines count too. */
export async function noteKeys(
  pool: Pool,
  { id }: Replacement,
  records: readonly DecodedRecord[],
): Promise<void> {
  const keys: string[] = [];
  let hasUnread = false;
  for (const { decoded } of records) {
    if (decoded.kind !== 'upsert' && decoded.kind !== 'rejected') continue;
    if (decoded.key === null) hasUnread = true;
    else keys.push(decoded.key);
  }
  await pool.query({
    name: 'note-keys',
    text: `insert into ingest.replacement_key (replacement, key)
           select $1, key from unnest($2::text[]) key on conflict do nothing`,
    values: [id, textArray(keys.sort())],
  });
  if (hasUnread) await pool.query('update ingest.replacement set has_unread = true where id = $1', [id]);
}

export interface Removal {
  readonly source: Source;
  readonly topicPartition: TopicPartition;
  /** When the file was complete, in milliseconds since 1970. */
  readonly asOfMs: number;
  /** The number of rows of the file, if it is known; without it, few rows are removed. */
  readonly expectedRows: number | undefined;
  /** Stops after the current page. */
  readonly signal: AbortSignal | undefined;
}

export interface RemovalResult {
  readonly removed: number;
  /** False if it was stopped. */
  readonly isWhole: boolean;
}

/**
 * Removes the rows of a source that its file lacks and that are not newer than the file, and marks their documents
 * dirty. Continues after an interruption.
 *
 * @throws if a line has no readable key, or too many rows are missing
 */
export async function removeMissing(
  pool: Pool,
  registry: Registry,
  replacement: Replacement,
  removal: Removal,
): Promise<RemovalResult> {
  await requireSound(pool, registry, replacement, removal);
  const { source, asOfMs, signal } = removal;
  const topicPartition = {
    ...removal.topicPartition,
    partition: removal.topicPartition.partition + 1,
  };
  let position = await readPosition(pool, topicPartition);
  let removed = 0;
  for (let from = ''; ; ) {
    if (signal?.aborted) return { removed, isWhole: false };
    const keys = await missingKeys(pool, registry, { ...removal, id: replacement.id, from });
    const last = keys.at(-1);
    if (last === undefined) break;
    const version = removalVersion(registry.epochOf(source), asOfMs);
    await keepRows(pool, registry, { id: replacement.id, source, keys, version });
    const records = keys.map((key, index): DecodedRecord => {
      const offset = (position ?? 0) + index;
      return {
        record: { topic: source.table, key: null, value: null, headers: {}, offset, timestamp: asOfMs },
        decoded: { kind: 'tombstone', source, key, timestamp: asOfMs, version },
      };
    });
    const to = (position ?? 0) + keys.length;
    removed += (await ingestBatch(pool, registry, { topicPartition, records, from: position, to })).applied;
    position = to;
    // No text sorts between the two.
    from = `${last}\u0001`;
  }
  await finish(pool, replacement);
  return { removed, isWhole: true };
}

async function requireSound(
  pool: Pool,
  registry: Registry,
  { id }: Replacement,
  { source, asOfMs, expectedRows }: Removal,
): Promise<void> {
  const { rows: states } = await pool.query<{ has_unread: boolean }>(
    'select has_unread from ingest.replacement where id = $1',
    [id],
  );
  if (states[0]?.has_unread)
    throw new Error(
      `nothing of ${source.table} was removed: a line of the file has no readable key, so it may be any row`,
    );
  if (expectedRows !== undefined) {
    const { rows: counts } = await pool.query<{ found: number }>(
      'select count(*)::float8 as found from ingest.replacement_key where replacement = $1',
      [id],
    );
    const found = counts[0]?.found ?? 0;
    if (found !== expectedRows)
      throw new Error(
        `nothing of ${source.table} was removed: the file has ${found} different rows, and ${expectedRows} were expected`,
      );
    return;
  }
  // The keys are new; without statistics the planner would look them up one by one.
  await pool.query('analyze ingest.replacement_key');
  const { rows } = await pool.query<{ stored: number; missing: number }>(
    `select count(*)::float8 as stored, count(*) filter (where (source_time <= $3 or version < $4) and seen.key is null)::float8 as missing
     from ingest.mirror left join ingest.replacement_key seen on seen.replacement = $1 and seen.key = mirror.key
     where mirror.source = $2 and mirror.row is not null`,
    [id, registry.idOf(source), new Date(asOfMs), startOfEpoch(registry.epochOf(source))],
  );
  const { stored, missing } = rows[0] ?? { stored: 0, missing: 0 };
  if (missing > stored * SHARE_LIMIT)
    throw new Error(
      `nothing of ${source.table} was removed: the file lacks ${missing} of its ${stored} rows, more than 5 %; if that is right, state the number of its rows: --expect-rows N`,
    );
}

async function missingKeys(
  pool: Pool,
  registry: Registry,
  { id, source, asOfMs, from }: Pick<Removal, 'source' | 'asOfMs'> & { id: Replacement['id']; from: string },
): Promise<string[]> {
  const { rows } = await pool.query<{ key: string }>({
    name: 'missing-keys',
    text: `select key from ingest.mirror
           where source = $2 and row is not null and (source_time <= $3 or version < $5) and key >= $4 and not exists (
             select from ingest.replacement_key seen where seen.replacement = $1 and seen.key = mirror.key)
           order by key limit ${PAGE}`,
    values: [id, registry.idOf(source), new Date(asOfMs), from, startOfEpoch(registry.epochOf(source))],
  });
  return rows.map(({ key }) => key);
}

/** The replacement stays stored, so that a repeated load skips the file. */
const finish = (pool: Pool, { id }: Replacement): Promise<void> =>
  transaction(pool, async (client) => {
    await client.query('delete from ingest.replacement_key where replacement = $1', [id]);
    await client.query('update ingest.replacement set finished_at = now() where id = $1', [id]);
  });

/** Deletes replacements that were begun before an instant, finished or not. @returns how many */
export function purgeReplacements(pool: Pool, before: Date): Promise<number> {
  return transaction(pool, async (client) => {
    const { rows } = await client.query<{ id: number }>(
      'delete from ingest.replacement where started_at < $1 returning id',
      [before],
    );
    await client.query(
      'delete from ingest.replacement_key where replacement not in (select id from ingest.replacement)',
    );
    return rows.length;
  });
}
