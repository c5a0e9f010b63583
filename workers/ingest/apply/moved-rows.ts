import type { ClientBase, Pool } from 'pg';
import { int2Array, textArray } from '../../../db/arrays.ts';
import { LOCKS } from '../../../db/locks.ts';
import type { Source } from '../../../projections/contracts/contract.ts';
import type { SourceRegistry } from '../../../projections/engine/projection.ts';
import type { Decoded, Upsert } from '../decode/envelope.ts';
import { positionOf } from '../decode/version.ts';

/** For this long a row stays known under its old key. */
export const MOVED_DAYS = 7;

/** Rows removed in one statement. */
const PAGE = 5_000;

/** A row whose key has changed, as it was last under the old key. */
export interface MovedRow {
  readonly source: Source;
  /** The old key. */
  readonly key: string;
  /** Of the update, which the delete of the old key and the write of the new one share. */
  readonly position: string;
  readonly row: string;
}

/** Moved rows by `movedId`. */
export type MovedRows = Map<string, MovedRow>;

type OldKey = Omit<MovedRow, 'row'>;

export const movedId = ({ source, key, position }: OldKey): string => `${source.table} ${position} ${key}`;

/** Under which old key a change finds the values that it left out; null if it keeps its key, or lacks none. */
export const oldKeyOf = ({ source, oldKey, unavailable, version }: Upsert): OldKey | null =>
  oldKey === undefined || unavailable.length === 0
    ? null
    : { source, key: oldKey, position: positionOf(version) };

/** The keys under which rows go on: an update that changes a key deletes the old one. */
export const newKeysOf = (changes: readonly Decoded[]): { source: Source; key: string }[] =>
  changes.flatMap((change) =>
    change.kind === 'delete' && change.newKey !== undefined
      ? [{ source: change.source, key: change.newKey }]
      : [],
  );

/**
 * Reads the rows that changes of a batch continue under a new key. The records of the two keys may come over different
 * partitions at the same time, so this locks the old keys: either the row is found, or the delete finds the dead letter.
 */
export async function readMovedRows(
  client: ClientBase,
  registry: SourceRegistry,
  changes: readonly Decoded[],
): Promise<MovedRows> {
  const wanted = changes.flatMap((change) => (change.kind === 'upsert' ? (oldKeyOf(change) ?? []) : []));
  const left = changes.flatMap((change) =>
    change.kind === 'delete' && change.newKey !== undefined ? [change] : [],
  );
  if (wanted.length + left.length === 0) return new Map();
  const names = [...wanted, ...left].map(({ source, key }) => `${source.table} ${key}`);
  await client.query({
    name: 'lock-old-keys',
    text: `select pg_advisory_xact_lock($1, hash)
           from (select distinct hashtext(name) as hash from unnest($2::text[]) name order by 1) names`,
    values: [LOCKS.move, textArray(names)],
  });
  if (wanted.length === 0) return new Map();
  const { rows } = await client.query<{ source: number; key: string; position: string; row: string }>({
    name: 'moved-rows',
    text: `select source, key, position, row from ingest.moved_row
             join unnest($1::int2[], $2::text[], $3::text[]) wanted (source, key, position)
             using (source, key, position)`,
    values: addresses(wanted, registry),
  });
  const sourceOf = new Map(wanted.map(({ source }) => [registry.idOf(source), source]));
  return new Map(
    rows.flatMap(({ source: id, ...rest }) => {
      const source = sourceOf.get(id);
      return source === undefined ? [] : [[movedId({ source, ...rest }), { source, ...rest }] as const];
    }),
  );
}

export async function keepMovedRows(
  client: ClientBase,
  registry: SourceRegistry,
  moved: readonly MovedRow[],
): Promise<void> {
  if (moved.length === 0) return;
  await client.query({
    name: 'keep-moved-rows',
    text: `insert into ingest.moved_row (source, key, position, row)
           select * from unnest($1::int2[], $2::text[], $3::text[], $4::text[]) on conflict do nothing`,
    values: [...addresses(moved, registry), textArray(moved.map(({ row }) => row))],
  });
}

const addresses = (keys: readonly OldKey[], registry: SourceRegistry): Buffer[] => [
  int2Array(keys.map(({ source }) => registry.idOf(source))),
  textArray(keys.map(({ key }) => key)),
  textArray(keys.map(({ position }) => position)),
];

/** Deletes rows that moved before an instant, in bounded steps. @returns how many */
export async function purgeMovedRows(pool: Pool, before: Date, signal: AbortSignal): Promise<number> {
  for (let purged = 0; ; ) {
    signal.throwIfAborted();
    const { rowCount } = await pool.query(
      `delete from ingest.moved_row where ctid = any(array(
         select ctid from ingest.moved_row where moved_at < $1 limit ${PAGE}))`,
      [before],
    );
    purged += rowCount ?? 0;
    if ((rowCount ?? 0) < PAGE) return purged;
  }
}
