import type { Pool } from 'pg';
import { textArray } from '../../db/arrays.ts';
import { transaction } from '../../db/transaction.ts';
import type { Registry } from '../../projections/registry.ts';
import type { Source } from '../../projections/sources/contract.ts';
import { type Place, readPosition } from './apply/position.ts';
import type { DecodedRecord } from './decode/envelope.ts';
import { removalVersion, startOfEpoch } from './decode/version.ts';
import { ingestBatch } from './ingest-batch.ts';

/** Rows removed in one transaction. */
const PAGE = 5_000;
/** A file that lacks more than this share of the rows is more likely to be a part than the whole. */
const MOST_SHARE = 0.5;

/** A snapshot file that is to take the place of all rows of its source. */
export interface Replacement {
  readonly id: number;
  /** Nothing is left to be done for it. */
  readonly isFinished: boolean;
}

/** Begins a replacement, or takes up the one that was begun for the same place. */
export function openReplacement(pool: Pool, { group, topic }: Place): Promise<Replacement> {
  return transaction(pool, async (client) => {
    const { rows: begun } = await client.query<{ id: number }>(
      'insert into ingest.replacement (topic) values ($1) on conflict do nothing returning id',
      [topic],
    );
    if (begun[0] !== undefined) {
      // Lines before a position that is left from earlier would pass without their keys.
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
    if (open === undefined) throw new Error(`the replacement by ${topic} was taken away`);
    return open;
  });
}

/** Notes the keys of a chunk, which must be done before its position moves. A line at fault counts as well. */
export async function noteKeys(
  pool: Pool,
  { id }: Replacement,
  records: readonly DecodedRecord[],
): Promise<void> {
  const keys: string[] = [];
  let hasUnread = false;
  for (const { decoded } of records) {
    if (decoded.kind !== 'upsert' && decoded.kind !== 'refused') continue;
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
  /** Where the file was read. */
  readonly place: Place;
  /** When the file's rows were all there was, in milliseconds since 1970. */
  readonly asOfMs: number;
  /** Also more than half of the source. */
  readonly most: boolean;
  /** Stops it after the rows in hand. */
  readonly signal: AbortSignal | undefined;
}

export interface Removed {
  readonly removed: number;
  /** Not where it was stopped. */
  readonly isWhole: boolean;
}

/**
 * Removes the rows of a source that its file lacks, as far as they are not newer than the file; and marks what
 * they were about. Goes on where it was, if it broke off.
 *
 * @throws where a line did not tell its key, or too many rows would go
 */
export async function removeMissing(
  pool: Pool,
  registry: Registry,
  replacement: Replacement,
  removal: Removal,
): Promise<Removed> {
  await requireSound(pool, registry, replacement, removal);
  const { source, asOfMs, signal } = removal;
  const place: Place = { ...removal.place, partition: removal.place.partition + 1 };
  let position = await readPosition(pool, place);
  let removed = 0;
  for (let from = ''; ; ) {
    if (signal?.aborted) return { removed, isWhole: false };
    const keys = await missingKeys(pool, registry, replacement, removal, from);
    const last = keys.at(-1);
    if (last === undefined) break;
    const version = removalVersion(registry.epochOf(source), asOfMs);
    const records = keys.map((key, index): DecodedRecord => {
      const offset = (position ?? 0) + index;
      return {
        record: { topic: source.table, key: null, value: null, headers: {}, offset, timestamp: asOfMs },
        decoded: { kind: 'tombstone', source, key, timestamp: asOfMs, version },
      };
    });
    const to = (position ?? 0) + keys.length;
    removed += (await ingestBatch(pool, registry, place, records, position, to)).applied;
    position = to;
    // No text lies between the two.
    from = `${last}\u0001`;
  }
  await finish(pool, replacement);
  return { removed, isWhole: true };
}

async function requireSound(
  pool: Pool,
  registry: Registry,
  { id }: Replacement,
  { source, asOfMs, most }: Removal,
): Promise<void> {
  const { rows: states } = await pool.query<{ has_unread: boolean }>(
    'select has_unread from ingest.replacement where id = $1',
    [id],
  );
  if (states[0]?.has_unread)
    throw new Error(
      `nothing of ${source.table} was removed: a line of the file did not tell its key, so it may stand for any row`,
    );
  // The keys have only just been written; without it, they would be looked for one by one.
  await pool.query('analyze ingest.replacement_key');
  const { rows } = await pool.query<{ held: number; missing: number }>(
    `select count(*)::float8 as held, count(*) filter (where (source_time <= $3 or version < $4) and seen.key is null)::float8 as missing
     from ingest.mirror left join ingest.replacement_key seen on seen.replacement = $1 and seen.key = mirror.key
     where mirror.source = $2 and mirror.row is not null`,
    [id, registry.idOf(source), new Date(asOfMs), startOfEpoch(registry.epochOf(source))],
  );
  const { held, missing } = rows[0] ?? { held: 0, missing: 0 };
  if (missing > held * MOST_SHARE && !most)
    throw new Error(
      `nothing of ${source.table} was removed: the file lacks ${missing} of its ${held} rows, more than half; if that is right, say --replace-most`,
    );
}

async function missingKeys(
  pool: Pool,
  registry: Registry,
  { id }: Replacement,
  { source, asOfMs }: Removal,
  from: string,
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

/** What was done stays on record, so that the same file is passed over when it is loaded again. */
const finish = (pool: Pool, { id }: Replacement): Promise<void> =>
  transaction(pool, async (client) => {
    await client.query('delete from ingest.replacement_key where replacement = $1', [id]);
    await client.query('update ingest.replacement set finished_at = now() where id = $1', [id]);
  });

/** Forgets replacements that were begun before an instant, whether they came to an end or not. @returns how many */
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
