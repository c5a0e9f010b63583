import type { ClientBase } from 'pg';
import { int2Array, int8Array, textArray, timestamptzArray } from '../../../db/arrays.ts';
import type { SourceRegistry } from '../../../projections/engine/projection.ts';
import type { Decoded, DecodedRecord } from '../decode/envelope.ts';
import type { NewestPositions } from './enforce-limits.ts';
import { FILE_GROUPS, type TopicPartition } from './position.ts';

/**
 * How a record ended. `applied`: it changed the state of its key, or truncated its table; `older` and `equal`: the stored
 * version is newer, or the same; `ignored` by design: a heartbeat, a message without a row, or a tombstone after its
 * delete.
 */
const OUTCOMES = ['applied', 'older', 'equal', 'deadLetters', 'ignored'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** The outcomes add up to the records read. */
export type OutcomeCounts = Readonly<Record<'read' | Outcome, number>>;

/** The outcomes of changes and truncates, which depend on what was stored. */
export type Outcomes = ReadonlyMap<Decoded, Outcome>;

function outcomeOf({ decoded }: DecodedRecord, outcomes: Outcomes): Outcome {
  if (decoded.kind === 'rejected') return 'deadLetters';
  if (decoded.kind === 'ignored' || decoded.kind === 'heartbeat') return 'ignored';
  const outcome = outcomes.get(decoded);
  if (outcome === undefined) throw new Error(`a ${decoded.kind} of ${decoded.source.table} has no outcome`);
  return outcome;
}

const noCounts = () => ({ read: 0, applied: 0, older: 0, equal: 0, deadLetters: 0, ignored: 0 });

export interface CountedBatch {
  readonly topicPartition: TopicPartition;
  readonly records: readonly DecodedRecord[];
  readonly outcomes: Outcomes;
  readonly newest: NewestPositions;
}

const NO_SOURCE = 0;

/** The rows of concurrent batches differ in their partition, so that they do not wait for each other. */
const COUNT = `
  insert into ingest.record_count as stored (consumer_group, topic, partition, source, read, applied, older, equal,
    dead_letters, ignored, recent_since, recent_read, recent_older, newest_position, position_form, position_time)
  select $1, $2, $3, source, read, applied, older, equal, dead_letters, ignored,
    case when $4 then now() end, case when $4 then read end, case when $4 then older end, position, form, at
  from unnest($5::int2[], $6::int8[], $7::int8[], $8::int8[], $9::int8[], $10::int8[], $11::int8[], $12::text[],
    $13::text[], $14::timestamptz[])
    batch (source, read, applied, older, equal, dead_letters, ignored, position, form, at)
  order by source
  on conflict (consumer_group, topic, partition, source) do update set
    read = stored.read + excluded.read,
    applied = stored.applied + excluded.applied,
    older = stored.older + excluded.older,
    equal = stored.equal + excluded.equal,
    dead_letters = stored.dead_letters + excluded.dead_letters,
    ignored = stored.ignored + excluded.ignored,
    recent_since = case when stored.recent_since > now() - interval '1 hour'
      then stored.recent_since else excluded.recent_since end,
    recent_read = case when stored.recent_since > now() - interval '1 hour'
      then stored.recent_read else 0 end + excluded.recent_read,
    recent_older = case when stored.recent_since > now() - interval '1 hour'
      then stored.recent_older else 0 end + excluded.recent_older,
    position_form = case when stored.newest_position >= excluded.newest_position
      then stored.position_form else coalesce(excluded.position_form, stored.position_form) end,
    position_time = case when stored.newest_position >= excluded.newest_position
      then stored.position_time else coalesce(excluded.position_time, stored.position_time) end,
    newest_position = greatest(stored.newest_position, excluded.newest_position)`;

/**
 * Adds the outcome of each record to the counts of its partition and source, in the transaction of the batch.
 *
 * @returns the counts of the batch
 */
export async function countRecords(
  client: ClientBase,
  registry: SourceRegistry,
  { topicPartition, records, outcomes, newest }: CountedBatch,
): Promise<OutcomeCounts> {
  const bySource = new Map<number, ReturnType<typeof noCounts>>();
  const total = noCounts();
  for (const one of records) {
    const source = 'source' in one.decoded ? one.decoded.source : null;
    const id = source === null ? NO_SOURCE : registry.idOf(source);
    const counts = bySource.get(id) ?? noCounts();
    bySource.set(id, counts);
    const outcome = outcomeOf(one, outcomes);
    for (const each of [counts, total]) {
      each.read++;
      each[outcome]++;
    }
  }
  // Accepting an implausible dead letter moves the newest position without reading a record.
  for (const id of newest.keys()) if (!bySource.has(id)) bySource.set(id, noCounts());
  if (bySource.size === 0) return total;
  const { group, topic, partition } = topicPartition;
  const isFile = FILE_GROUPS.includes(group);
  const rows = [...bySource].map(([id, counts]) => ({ id, counts, newest: newest.get(id) }));
  await client.query({
    name: 'count-records',
    text: COUNT,
    values: [
      group,
      isFile ? topic.split('#', 1)[0] : topic,
      partition,
      !isFile,
      int2Array(rows.map(({ id }) => id)),
      ...(['read', ...OUTCOMES] as const).map((count) => int8Array(rows.map(({ counts }) => counts[count]))),
      textArray(rows.map((row) => row.newest?.position ?? null)),
      textArray(rows.map((row) => row.newest?.form ?? null)),
      timestamptzArray(rows.map((row) => row.newest?.timeMs ?? null)),
    ],
  });
  return total;
}
