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
  /** Version of the row that it took the place of; null where the key had none. */
  readonly replaced: string | null;
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
  groups: readonly KeyChanges[],
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

const UPSERT = (changedTime: string) => `
  insert into ingest.mirror as mirror
    (source, key, subject, order_key, row, version, source_time, changed_time)
  select * from unnest($1::int2[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
    $7::timestamptz[], $8::timestamptz[])
  on conflict (source, key) do update set
    subject = excluded.subject, order_key = excluded.order_key, row = excluded.row,
    version = excluded.version, source_time = excluded.source_time, applied_at = now(),
    changed_time = ${changedTime}
  where mirror.version < excluded.version
  returning new.source, new.key, old.version as replaced, new.changed_time = new.source_time as is_changed`;

interface WrittenRow {
  readonly source: number;
  readonly key: string;
  readonly replaced: string | null;
  readonly is_changed: boolean;
}

/** For states that were folded onto the stored row, and so know when their content changed. */
const UPSERT_FOLDED = UPSERT('excluded.changed_time');

/** For states that were not: the stored row is compared where it lies. */
const UPSERT_BLIND = UPSERT(
  'case when mirror.row is not distinct from excluded.row then mirror.changed_time else excluded.changed_time end',
);

/**
 * Writes states that are newer than the stored ones. Rows are sorted by key, so that two writers of the same
 * keys wait for each other rather than for ever.
 */
export async function upsertMirror<T extends Settled>(
  client: ClientBase,
  settled: readonly T[],
  registry: SourceRegistry,
  isFolded: boolean,
): Promise<Written<T>[]> {
  if (settled.length === 0) return [];
  const sorted = settled
    .map((entry) => ({ entry, key: entry.key, state: entry.state, id: registry.idOf(entry.source) }))
    .sort((a, b) => a.id - b.id || (a.key < b.key ? -1 : 1));
  const { rows } = await client.query<WrittenRow>({
    name: isFolded ? 'upsert-folded' : 'upsert-blind',
    text: isFolded ? UPSERT_FOLDED : UPSERT_BLIND,
    values: [
      int2Array(sorted.map(({ id }) => id)),
      textArray(sorted.map(({ key }) => key)),
      textArray(sorted.map(({ state }) => state.subject ?? '')),
      textArray(sorted.map(({ state }) => state.orderKey)),
      textArray(sorted.map(({ state }) => state.row)),
      textArray(sorted.map(({ state }) => state.version)),
      timestamptzArray(sorted.map(({ state }) => state.sourceTimeMs)),
      timestamptzArray(sorted.map(({ state }) => state.changedTimeMs)),
    ],
  });
  // Written rows come in the order they were sent, less those that were not newer.
  let at = 0;
  return rows.map(({ source, key, replaced, is_changed }) => {
    while (sorted[at]?.key !== key || sorted[at]?.id !== source) {
      if (at++ === sorted.length) throw new Error(`the database wrote ${key}, which was not sent`);
    }
    return {
      settled: (sorted[at++] as (typeof sorted)[number]).entry,
      replaced,
      isChanged: is_changed,
    };
  });
}

/** Brings the links of rows to what their newest states say. */
export async function replaceLinks(
  client: ClientBase,
  changed: readonly Settled[],
  registry: SourceRegistry,
): Promise<void> {
  if (changed.length === 0) return;
  await client.query({
    name: 'remove-links',
    text: `delete from ingest.link using unnest($1::int2[], $2::text[]) changed (source, key)
           where link.source = changed.source and link.key = changed.key`,
    values: [
      int2Array(changed.map(({ source }) => registry.idOf(source))),
      textArray(changed.map(({ key }) => key)),
    ],
  });
  const links = changed.flatMap(({ source, key, state }) =>
    state.links.map((subject) => ({
      source: registry.idOf(source),
      subject,
      key,
    })),
  );
  await client.query({
    name: 'insert-links',
    text: `insert into ingest.link (source, subject, key)
           select * from unnest($1::int2[], $2::text[], $3::text[]) on conflict do nothing`,
    values: [
      int2Array(links.map(({ source }) => source)),
      textArray(links.map(({ subject }) => subject)),
      textArray(links.map(({ key }) => key)),
    ],
  });
}
