import type { ClientBase } from 'pg';
import { int2Array, int4Array, int8Array, textArray } from '../../../db/arrays.ts';
import type { SourceRegistry } from '../../../projections/projection.ts';
import type { Source } from '../../../projections/sources/contract.ts';
import type { Place } from '../apply/position.ts';
import type { DecodedRecord, Truncate } from '../decode/envelope.ts';

/** What was written: keys with their new versions, and the truncates that were newer than any before. */
export interface Written {
  readonly settled: readonly {
    readonly source: Source;
    readonly key: string;
    readonly state: { readonly version: string };
  }[];
  readonly truncated: readonly Truncate[];
}

interface Newer {
  readonly source: Source;
  readonly key: string;
  /** Null for a tombstone: it outdates what was written before it in its partition, whatever version that has. */
  readonly version: string | null;
  /** Where it was read; null where that is not known. */
  readonly place: Pick<Place, 'topic' | 'partition'> | null;
  readonly offset: number | null;
}

/**
 * Settles the open letters that newer changes have overtaken: those of an older version and, where a letter's version
 * could not be read, those that came before in the same partition. A delete waits on when its tombstone comes, which
 * does not say what it was newer than. Takes one short statement where nothing is open.
 * A letter in the hands of a replay is left to it.
 *
 * @param records what was read, the changes that were written among it
 * @param by who is to be named for it
 * @returns ids of the settled letters
 */
export async function supersedeLetters(
  client: ClientBase,
  records: readonly DecodedRecord[],
  placeOf: (record: DecodedRecord) => Newer['place'],
  written: Written,
  by: string,
  registry: SourceRegistry,
): Promise<number[]> {
  const touched = new Set<Source>();
  for (const { decoded } of records)
    if ('source' in decoded && decoded.source !== null) touched.add(decoded.source);
  const open = await sourcesWithLetters(client, touched, registry);
  if (open.size === 0) return [];
  const isOpen = ({ source }: { readonly source: Source }): boolean => open.has(source);
  const keys = newerKeys(records, placeOf, written.settled).filter(isOpen);
  const truncates = newerTruncates(records, placeOf, written.truncated).filter(isOpen);
  return [
    ...(await supersede(client, 'supersede-by-key', BY_KEY, keys, by, registry)),
    ...(await supersede(client, 'supersede-by-truncate', BY_TRUNCATE, truncates, by, registry)),
  ];
}

async function sourcesWithLetters(
  client: ClientBase,
  touched: ReadonlySet<Source>,
  registry: SourceRegistry,
): Promise<ReadonlySet<Source>> {
  if (touched.size === 0) return touched;
  const sourceOf = new Map(Array.from(touched, (source) => [registry.idOf(source), source]));
  // Ordered as the index of open letters is, so that nothing but that index answers it.
  const { rows } = await client.query<{ id: number }>({
    name: 'sources-with-letters',
    text: `select id from unnest($1::int2[]) touched (id)
           where (select true from ingest.dead_letter where source = touched.id and state = 'open' order by key limit 1)`,
    values: [int2Array([...sourceOf.keys()])],
  });
  return new Set(rows.flatMap(({ id }) => sourceOf.get(id) ?? []));
}

const idOf = (source: Source, ...rest: readonly string[]): string => [source.table, ...rest].join(' ');

/** What was written of each key, with the place of the record that says so, and every tombstone. */
function newerKeys(
  records: readonly DecodedRecord[],
  placeOf: (record: DecodedRecord) => Newer['place'],
  settled: Written['settled'],
): Newer[] {
  const tombstones: Newer[] = [];
  const readAt = new Map<string, DecodedRecord>();
  for (const read of records) {
    const { decoded, record } = read;
    if (decoded.kind === 'tombstone') {
      const { source, key, timestamp } = decoded;
      if (timestamp === null) continue;
      tombstones.push({ source, key, version: null, place: placeOf(read), offset: record.offset });
    } else if (decoded.kind === 'upsert' || decoded.kind === 'delete') {
      const id = idOf(decoded.source, decoded.version, decoded.key);
      // A repeat says nothing new where it comes again.
      if (!readAt.has(id)) readAt.set(id, read);
    }
  }
  const newer = settled.map(({ source, key, state: { version } }): Newer => {
    const read = readAt.get(idOf(source, version, key));
    if (read === undefined) return { source, key, version, place: null, offset: null };
    return { source, key, version, place: placeOf(read), offset: read.record.offset };
  });
  return [...newer, ...tombstones];
}

function newerTruncates(
  records: readonly DecodedRecord[],
  placeOf: (record: DecodedRecord) => Newer['place'],
  truncated: Written['truncated'],
): Newer[] {
  return records.flatMap((read): Newer[] => {
    const truncate = truncated.find((one) => one === read.decoded);
    if (truncate === undefined) return [];
    const { source, version } = truncate;
    return [{ source, key: '', version, place: placeOf(read), offset: read.record.offset }];
  });
}

const SETTLE = `
  update ingest.dead_letter
  set state = 'superseded', settled_at = now(), settled_by = $1, reason = 'something newer was applied'`;

const NEWER = `
  unnest($2::int2[], $3::text[], $4::text[], $5::text[], $6::int4[], $7::int8[])
    as newer (source, key, version, topic, partition, record_offset)`;

/** Deletes have versions that end in 0. */
const IS_OVERTAKEN = `
  state = 'open' and (letter.version <= newer.version
    or (letter.version is null or newer.version is null and letter.version not like '%0')
      and letter.topic = newer.topic and letter.partition = newer.partition
      and letter.record_offset <= newer.record_offset)`;

/** Looks each key up in the index of open letters; without the offset, that would be up to the planner's statistics. */
const overtaken = (matches: string): string => `${SETTLE}
  where id in (
    select id from ingest.dead_letter
    where state = 'open' and id = any(array(
      select overtaken.id from ${NEWER},
      lateral (select id from ingest.dead_letter letter where ${matches} and ${IS_OVERTAKEN} offset 0) overtaken))
    for update skip locked)
  returning id`;

const BY_KEY = overtaken('letter.source = newer.source and letter.key = newer.key');
const BY_TRUNCATE = overtaken('letter.source = newer.source');

async function supersede(
  client: ClientBase,
  name: string,
  text: string,
  newer: readonly Newer[],
  by: string,
  registry: SourceRegistry,
): Promise<number[]> {
  if (newer.length === 0) return [];
  const values = [
    by,
    int2Array(newer.map(({ source }) => registry.idOf(source))),
    textArray(newer.map(({ key }) => key)),
    textArray(newer.map(({ version }) => version)),
    textArray(newer.map(({ place }) => place?.topic ?? null)),
    int4Array(newer.map(({ place }) => place?.partition ?? null)),
    int8Array(newer.map(({ offset }) => offset)),
  ];
  const { rows } = await client.query<{ id: string }>({ name, text, values });
  return rows.map(({ id }) => Number(id));
}

/**
 * Settles the given open letters that were overtaken before they came: the mirror holds something newer, or a truncate
 * was.
 *
 * @returns ids of the settled letters
 */
export async function supersedeLate(
  client: ClientBase,
  ids: readonly number[],
  by: string,
): Promise<number[]> {
  if (ids.length === 0) return [];
  const { rows } = await client.query<{ id: string }>({
    name: 'supersede-late',
    text: `${SETTLE}
      where id in (
        select letter.id from ingest.dead_letter letter
        left join ingest.mirror on mirror.source = letter.source and mirror.key = letter.key
        left join ingest.source on source.id = letter.source
        where letter.id = any($2::int8[]) and letter.state = 'open'
          and (mirror.version >= letter.version or source.truncated_version >= letter.version)
        for update of letter skip locked)
      returning id`,
    values: [by, int8Array(ids)],
  });
  return rows.map(({ id }) => Number(id));
}
