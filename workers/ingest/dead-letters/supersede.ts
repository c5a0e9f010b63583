import type { ClientBase } from 'pg';
import { int2Array, int4Array, int8Array, textArray } from '../../../db/arrays.ts';
import type { Source } from '../../../projections/contracts/contract.ts';
import type { SourceRegistry } from '../../../projections/engine/projection.ts';
import type { PartitionId } from '../apply/position.ts';
import type { DecodedRecord, Truncate } from '../decode/envelope.ts';

/** The keys that a batch wrote, with their new versions, and the truncates that were newer than all before. */
export interface AppliedVersions {
  readonly settled: readonly {
    readonly source: Source;
    readonly key: string;
    readonly state: { readonly version: string };
  }[];
  readonly truncated: readonly Truncate[];
}

export interface SupersedingBatch {
  /** All records of the batch, applied or not. */
  readonly records: readonly DecodedRecord[];
  /** Where a record was read; null if that is unknown. */
  readonly partitionOf: (record: DecodedRecord) => PartitionId | null;
  readonly applied: AppliedVersions;
  /** Stored as the one who settled the dead letters. */
  readonly actor: string;
}

interface NewerChange {
  readonly source: Source;
  readonly key: string;
  /** Null for a tombstone: it supersedes all earlier changes in its partition, whatever their version. */
  readonly version: string | null;
  readonly partition: PartitionId | null;
  readonly offset: number | null;
}

/**
 * Settles the open dead letters that newer changes have superseded: those with an older version and, if a dead letter
 * has no readable version, those read earlier from the same partition. A dead letter of a delete stays open when a
 * tombstone comes, because the tombstone does not say which change it follows. Dead letters that a replay has locked are
 * left to it. If no dead letter is open, this takes one short statement.
 *
 * @returns ids of the settled dead letters
 */
export async function supersedeDeadLetters(
  client: ClientBase,
  registry: SourceRegistry,
  batch: SupersedingBatch,
): Promise<number[]> {
  const sources = new Set<Source>();
  for (const { decoded } of batch.records)
    if ('source' in decoded && decoded.source !== null) sources.add(decoded.source);
  const open = await sourcesWithOpen(client, sources, registry);
  if (open.size === 0) return [];
  const isOpen = ({ source }: { readonly source: Source }): boolean => open.has(source);
  const supersede = async (name: string, text: string, newer: readonly NewerChange[]) => {
    if (newer.length === 0) return [];
    const values = [batch.actor, ...valuesOf(newer, registry)];
    const { rows } = await client.query<{ id: string }>({ name, text, values });
    return rows.map(({ id }) => Number(id));
  };
  return [
    ...(await supersede('supersede-by-key', BY_KEY, newerKeys(batch).filter(isOpen))),
    ...(await supersede('supersede-by-truncate', BY_TRUNCATE, newerTruncates(batch).filter(isOpen))),
  ];
}

async function sourcesWithOpen(
  client: ClientBase,
  sources: ReadonlySet<Source>,
  registry: SourceRegistry,
): Promise<ReadonlySet<Source>> {
  if (sources.size === 0) return sources;
  const sourceOf = new Map(Array.from(sources, (source) => [registry.idOf(source), source]));
  // Ordered as the index of open dead letters is, so that only that index can serve the query.
  const { rows } = await client.query<{ id: number }>({
    name: 'sources-with-dead-letters',
    text: `select id from unnest($1::int2[]) written (id)
           where (select true from ingest.dead_letter where source = written.id and state = 'open' order by key limit 1)`,
    values: [int2Array([...sourceOf.keys()])],
  });
  return new Set(rows.flatMap(({ id }) => sourceOf.get(id) ?? []));
}

const idOf = (source: Source, ...rest: readonly string[]): string => [source.table, ...rest].join(' ');

/** The written keys, with the position of the record that wrote them, and all tombstones. */
function newerKeys({ records, partitionOf, applied }: SupersedingBatch): NewerChange[] {
  const tombstones: NewerChange[] = [];
  const recordOf = new Map<string, DecodedRecord>();
  for (const one of records) {
    const { decoded, record } = one;
    if (decoded.kind === 'tombstone') {
      const { source, key, timestamp } = decoded;
      if (timestamp === null) continue;
      tombstones.push({ source, key, version: null, partition: partitionOf(one), offset: record.offset });
    } else if (decoded.kind === 'upsert' || decoded.kind === 'delete') {
      const id = idOf(decoded.source, decoded.version, decoded.key);
      // The first of equal records counts: a repetition has no effect.
      if (!recordOf.has(id)) recordOf.set(id, one);
    }
  }
  const written = applied.settled.map(({ source, key, state: { version } }): NewerChange => {
    const one = recordOf.get(idOf(source, version, key));
    if (one === undefined) return { source, key, version, partition: null, offset: null };
    return { source, key, version, partition: partitionOf(one), offset: one.record.offset };
  });
  return [...written, ...tombstones];
}

function newerTruncates({ records, partitionOf, applied }: SupersedingBatch): NewerChange[] {
  return records.flatMap((one): NewerChange[] => {
    const truncate = applied.truncated.find((truncated) => truncated === one.decoded);
    if (truncate === undefined) return [];
    const { source, version } = truncate;
    return [{ source, key: '', version, partition: partitionOf(one), offset: one.record.offset }];
  });
}

const valuesOf = (newer: readonly NewerChange[], registry: SourceRegistry): Buffer[] => [
  int2Array(newer.map(({ source }) => registry.idOf(source))),
  textArray(newer.map(({ key }) => key)),
  textArray(newer.map(({ version }) => version)),
  textArray(newer.map(({ partition }) => partition?.topic ?? null)),
  int4Array(newer.map(({ partition }) => partition?.partition ?? null)),
  int8Array(newer.map(({ offset }) => offset)),
];

const SETTLE = `
  update ingest.dead_letter
  set state = 'superseded', settled_at = now(), settled_by = $1, reason = 'something newer was applied'`;

const NEWER = `
  unnest($2::int2[], $3::text[], $4::text[], $5::text[], $6::int4[], $7::int8[])
    as newer (source, key, version, topic, partition, record_offset)`;

/** The rank of a delete is 0. */
const IS_SUPERSEDED = `
  state = 'open' and (ingest.compare_versions(dead.version, newer.version) <= 0
    or (dead.version is null or newer.version is null and substr(dead.version, 41, 1) <> '0')
      and dead.topic = newer.topic and dead.partition = newer.partition
      and dead.record_offset <= newer.record_offset)`;

/** `offset 0` makes the planner look up each key in the index of open dead letters, whatever its statistics say. */
const settleSuperseded = (matches: string): string => `${SETTLE}
  where id in (
    select id from ingest.dead_letter
    where state = 'open' and id = any(array(
      select superseded.id from ${NEWER},
      lateral (select id from ingest.dead_letter dead where ${matches} and ${IS_SUPERSEDED} offset 0) superseded))
    for update skip locked)
  returning id`;

const BY_KEY = settleSuperseded('dead.source = newer.source and dead.key = newer.key');
const BY_TRUNCATE = settleSuperseded('dead.source = newer.source');

/**
 * Settles those of the given open dead letters that are older than the stored row or than a truncate.
 *
 * @returns ids of the settled dead letters
 */
export async function supersedeOutdated(
  client: ClientBase,
  ids: readonly number[],
  actor: string,
): Promise<number[]> {
  if (ids.length === 0) return [];
  const { rows } = await client.query<{ id: string }>({
    name: 'supersede-outdated',
    text: `${SETTLE}
      where id in (
        select dead.id from ingest.dead_letter dead
        left join ingest.mirror on mirror.source = dead.source and mirror.key = dead.key
        left join ingest.source on source.id = dead.source
        where dead.id = any($2::int8[]) and dead.state = 'open'
          and (ingest.compare_versions(mirror.version, dead.version) >= 0
            or ingest.compare_versions(source.truncated_version, dead.version) >= 0)
        for update of dead skip locked)
      returning id`,
    values: [actor, int8Array(ids)],
  });
  return rows.map(({ id }) => Number(id));
}
