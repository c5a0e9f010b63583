import type { ClientBase } from 'pg';
import { int2Array, textArray, timestamptzArray } from '../../../db/arrays.ts';
import type { SourceRegistry } from '../../../projections/projection.ts';
import type { Source } from '../../../projections/sources/contract.ts';
import { linksOf } from '../decode/row-decoder.ts';
import type { KeyChanges, MirrorState } from './fold.ts';

/** A key and the state it is to have. */
export interface Settled {
  readonly source: Source;
  readonly key: string;
  readonly state: MirrorState;
}

/** A state that was written, because its version was newer. */
export interface Written<T extends Settled> {
  readonly settled: T;
  /** Whether the content is another than before. */
  readonly isChanged: boolean;
}

const STORED = `
  select source, key, subject, order_key, row, version,
    (extract(epoch from source_time) * 1000)::float8 as source_time_ms,
    (extract(epoch from changed_time) * 1000)::float8 as changed_time_ms
  from ingest.mirror join unnest($1::int2[], $2::text[]) asked (source, key) using (source, key)`;

interface StoredRow {
  source: number;
  key: string;
  subject: string;
  order_key: string;
  row: string | null;
  version: string;
  source_time_ms: number;
  changed_time_ms: number;
}

/** The stored states of keys, by source id and key. Not locked: the write tells whether one has changed since. */
export async function readStored(
  client: ClientBase,
  groups: readonly Pick<KeyChanges, 'source' | 'key'>[],
  registry: SourceRegistry,
): Promise<Map<string, MirrorState>> {
  if (groups.length === 0) return new Map();
  const { rows } = await client.query<StoredRow>({
    name: 'stored-rows',
    text: STORED,
    values: [
      int2Array(groups.map(({ source }) => registry.idOf(source))),
      textArray(groups.map(({ key }) => key)),
    ],
  });
  const sourceOf = new Map(groups.map(({ source }) => [registry.idOf(source), source]));
  return new Map(
    rows.map((row) => {
      const source = sourceOf.get(row.source);
      const state: MirrorState = {
        subject: row.subject === '' ? null : row.subject,
        links: source === undefined || row.row === null ? [] : linksOf(source, row.row),
        orderKey: row.order_key,
        row: row.row,
        version: row.version,
        sourceTimeMs: row.source_time_ms,
        changedTimeMs: row.changed_time_ms,
      };
      return [stateId(row.source, row.key), state];
    }),
  );
}

export const stateId = (source: number, key: string): string => `${source} ${key}`;

/** For states that were not folded onto the stored row: it is compared where it lies. */
const UPSERT_BLIND = `
  insert into ingest.mirror as mirror
    (source, key, subject, order_key, row, version, source_time, changed_time)
  select * from unnest($1::int2[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
    $7::timestamptz[], $8::timestamptz[])
  on conflict (source, key) do update set
    subject = excluded.subject, order_key = excluded.order_key, row = excluded.row,
    version = excluded.version, source_time = excluded.source_time, applied_at = now(),
    changed_time = case when mirror.row is not distinct from excluded.row
      then mirror.changed_time else excluded.changed_time end
  where mirror.version < excluded.version
  returning source, key, changed_time = source_time as is_changed`;

interface WrittenRow {
  readonly source: number;
  readonly key: string;
  readonly is_changed: boolean;
}

/** Writes states that are newer than the stored ones. */
export async function upsertMirror<T extends Settled>(
  client: ClientBase,
  settled: readonly T[],
  registry: SourceRegistry,
): Promise<Written<T>[]> {
  if (settled.length === 0) return [];
  const sorted = inKeyOrder(settled, registry);
  const { rows } = await client.query<WrittenRow>({
    name: 'upsert-blind',
    text: UPSERT_BLIND,
    values: valuesOf(sorted),
  });
  // Written rows come in the order they were sent, less those that were not newer.
  let at = 0;
  return rows.map(({ source, key, is_changed }) => {
    while (sorted[at]?.settled.key !== key || sorted[at]?.id !== source) {
      if (at++ === sorted.length) throw new Error(`the database wrote ${key}, which was not sent`);
    }
    return { settled: (sorted[at++] as (typeof sorted)[number]).settled, isChanged: is_changed };
  });
}

/** For states that were folded onto a stored row, and so know when their content changed. */
const UPDATE_FOLDED = `
  update ingest.mirror set
    subject = newer.subject, order_key = newer.order_key, row = newer.row, version = newer.version,
    source_time = newer.source_time, changed_time = newer.changed_time, applied_at = now()
  from unnest($1::int2[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[],
    $8::timestamptz[], $9::text[])
    newer (source, key, subject, order_key, row, version, source_time, changed_time, replaced)
  where mirror.source = newer.source and mirror.key = newer.key and mirror.version = newer.replaced`;

const INSERT_FOLDED = `
  insert into ingest.mirror (source, key, subject, order_key, row, version, source_time, changed_time)
  select * from unnest($1::int2[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
    $7::timestamptz[], $8::timestamptz[])
  on conflict do nothing`;

/** Another transaction wrote a row between our look and our write; the batch has to run again. */
export class ConcurrentWrite extends Error {
  override readonly name = 'ConcurrentWrite';
}

/**
 * Writes states that were folded onto stored ones, or onto none.
 *
 * @throws ConcurrentWrite where a stored state is not any more what it was when it was read
 */
export async function replaceMirror(
  client: ClientBase,
  settled: readonly (Settled & { readonly before: MirrorState | null })[],
  registry: SourceRegistry,
): Promise<void> {
  const sorted = inKeyOrder(settled, registry);
  const known = sorted.filter(({ settled: { before } }) => before !== null);
  const fresh = sorted.filter(({ settled: { before } }) => before === null);
  const write = async (name: string, text: string, rows: typeof sorted, values: Buffer[]) => {
    if (rows.length === 0) return;
    const { rowCount } = await client.query({ name, text, values });
    if (rowCount !== rows.length) throw new ConcurrentWrite(`${rowCount} of ${rows.length} rows`);
  };
  const replaced = textArray(known.map(({ settled: { before } }) => before?.version ?? null));
  await write('update-folded', UPDATE_FOLDED, known, [...valuesOf(known), replaced]);
  await write('insert-folded', INSERT_FOLDED, fresh, valuesOf(fresh));
}

/** Two writers of the same keys then wait for each other rather than for ever. */
const inKeyOrder = <T extends Settled>(all: readonly T[], registry: SourceRegistry) =>
  all
    .map((settled) => ({ settled, id: registry.idOf(settled.source) }))
    .sort((a, b) => a.id - b.id || (a.settled.key < b.settled.key ? -1 : 1));

function valuesOf(sorted: readonly { readonly settled: Settled; readonly id: number }[]): Buffer[] {
  const states = sorted.map(({ settled }) => settled.state);
  return [
    int2Array(sorted.map(({ id }) => id)),
    textArray(sorted.map(({ settled }) => settled.key)),
    textArray(states.map(({ subject }) => subject ?? '')),
    textArray(states.map(({ orderKey }) => orderKey)),
    textArray(states.map(({ row }) => row)),
    textArray(states.map(({ version }) => version)),
    timestamptzArray(states.map(({ sourceTimeMs }) => sourceTimeMs)),
    timestamptzArray(states.map(({ changedTimeMs }) => changedTimeMs)),
  ];
}
