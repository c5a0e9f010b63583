import type { ClientBase } from 'pg';
import { int2Array, textArray, timestamptzArray } from '../../../db/arrays.ts';
import type { Source } from '../../../projections/contracts/contract.ts';
import type { SourceRegistry } from '../../../projections/engine/projection.ts';
import { linksOf } from '../decode/row-decoder.ts';
import type { KeyChanges, MirrorState } from './fold.ts';

/** A key and its new state. */
export interface KeyState {
  readonly source: Source;
  readonly key: string;
  readonly state: MirrorState;
}

/** A row that was removed, as it was stored. */
export interface RemovedRow extends Omit<MirrorState, 'links' | 'row'> {
  readonly key: string;
  readonly row: string;
  /** The version of its removal. */
  readonly removedVersion: string;
}

/** A row as it was seen, by its version. */
export interface SeenRow {
  readonly key: string;
  readonly version: string;
}

/** Those rows to which nothing has happened since they were seen, locked. */
export async function lockSeen(
  client: ClientBase,
  registry: SourceRegistry,
  source: Source,
  seen: readonly SeenRow[],
): Promise<(KeyState & { readonly state: MirrorState & { readonly row: string } })[]> {
  const id = registry.idOf(source);
  await client.query({
    name: 'lock-seen',
    text: `select from ingest.mirror where source = $1 and key = any($2::text[]) and row is not null
           order by key for no key update`,
    values: [id, textArray(seen.map(({ key }) => key))],
  });
  const stored = await readStored(
    client,
    seen.map(({ key }) => ({ source, key })),
    registry,
  );
  return seen.flatMap(({ key, version }) => {
    const state = stored.get(stateId(id, key));
    if (state === undefined || state.row === null || state.version !== version) return [];
    return [{ source, key, state: { ...state, row: state.row } }];
  });
}

/** Those removed rows to which nothing has happened since, locked, with the states that their removals left. */
export async function lockRemoved(
  client: ClientBase,
  registry: SourceRegistry,
  source: Source,
  removed: readonly RemovedRow[],
): Promise<(KeyState & { readonly before: MirrorState })[]> {
  const { rows } = await client.query<{ key: string }>({
    name: 'lock-removed',
    text: `select mirror.key from ingest.mirror
             join unnest($2::text[], $3::text[]) removed (key, version) using (key)
           where mirror.source = $1 and mirror.row is null and mirror.version = removed.version
           order by mirror.key for no key update of mirror`,
    values: [
      registry.idOf(source),
      textArray(removed.map(({ key }) => key)),
      textArray(removed.map(({ removedVersion }) => removedVersion)),
    ],
  });
  const unchanged = new Set(rows.map(({ key }) => key));
  return removed
    .filter(({ key }) => unchanged.has(key))
    .map(({ key, removedVersion, ...state }) => {
      const before = { ...state, links: [], orderKey: '', row: null, version: removedVersion };
      return { source, key, state: { ...state, links: linksOf(source, state.row) }, before };
    });
}

/** A state that was written because its version was newer. */
export interface MirrorWrite<T extends KeyState> {
  readonly settled: T;
  /** Whether the content differs from the stored one. */
  readonly isChanged: boolean;
}

const STORED = `
  select source, key, subject, order_key, row, version,
    (extract(epoch from source_time) * 1000)::float8 as source_time_ms,
    (extract(epoch from changed_time) * 1000)::float8 as changed_time_ms
  from ingest.mirror join unnest($1::int2[], $2::text[]) wanted (source, key) using (source, key)`;

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

/** The stored states of keys, by source id and key. They are not locked: the write detects concurrent changes. */
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

/** For states that were not folded onto the stored row: the statement compares the two. */
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
  where ingest.compare_versions(mirror.version, excluded.version) < 0
  returning source, key, changed_time = source_time as is_changed`;

interface WrittenRow {
  readonly source: number;
  readonly key: string;
  readonly is_changed: boolean;
}

/** Writes states that are newer than the stored ones. */
export async function upsertMirror<T extends KeyState>(
  client: ClientBase,
  settled: readonly T[],
  registry: SourceRegistry,
): Promise<MirrorWrite<T>[]> {
  if (settled.length === 0) return [];
  const sorted = inKeyOrder(settled, registry);
  const { rows } = await client.query<WrittenRow>({
    name: 'upsert-blind',
    text: UPSERT_BLIND,
    values: valuesOf(sorted),
  });
  // The written rows come in the order in which they were sent; those that were not newer are missing.
  let at = 0;
  return rows.map(({ source, key, is_changed }) => {
    while (sorted[at]?.settled.key !== key || sorted[at]?.id !== source) {
      if (at++ === sorted.length) throw new Error(`the database wrote ${key}, which was not sent`);
    }
    return { settled: (sorted[at++] as (typeof sorted)[number]).settled, isChanged: is_changed };
  });
}

/** For states that were folded onto a stored row, so that the time of change is known. */
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

/** Another transaction wrote a row between our read and our write; the batch must run again. */
export class ConcurrentWrite extends Error {
  override readonly name = 'ConcurrentWrite';
}

/**
 * Writes states that were folded onto the stored ones or onto none.
 *
 * @throws ConcurrentWrite if a stored state has changed since it was read
 */
export async function replaceMirror(
  client: ClientBase,
  settled: readonly (KeyState & { readonly before: MirrorState | null })[],
  registry: SourceRegistry,
): Promise<void> {
  const sorted = inKeyOrder(settled, registry);
  const known = sorted.filter(({ settled: { before } }) => before !== null);
  const fresh = sorted.filter(({ settled: { before } }) => before === null);
  const write = async (count: number, query: { name: string; text: string; values: Buffer[] }) => {
    if (count === 0) return;
    const { rowCount } = await client.query(query);
    if (rowCount !== count) throw new ConcurrentWrite(`${rowCount} of ${count} rows`);
  };
  const replaced = textArray(known.map(({ settled: { before } }) => before?.version ?? null));
  await write(known.length, {
    name: 'update-folded',
    text: UPDATE_FOLDED,
    values: [...valuesOf(known), replaced],
  });
  await write(fresh.length, { name: 'insert-folded', text: INSERT_FOLDED, values: valuesOf(fresh) });
}

/** Writers that lock the same keys in the same order cannot deadlock. */
const inKeyOrder = <T extends KeyState>(all: readonly T[], registry: SourceRegistry) =>
  all
    .map((settled) => ({ settled, id: registry.idOf(settled.source) }))
    .sort((a, b) => a.id - b.id || (a.settled.key < b.settled.key ? -1 : 1));

function valuesOf(sorted: readonly { readonly settled: KeyState; readonly id: number }[]): Buffer[] {
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

/** Replaces the links of rows by those of their new states. */
export async function replaceLinks(
  client: ClientBase,
  changed: readonly KeyState[],
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
