import type { ClientBase, Pool } from 'pg';
import { textArray } from '../../../db/arrays.ts';
import { recordAudit } from '../../../db/audit.ts';
import { transaction } from '../../../db/transaction.ts';
import type { Source } from '../../../projections/contracts/contract.ts';
import { sourceByTable } from '../../../projections/contracts/index.ts';
import type { Registry } from '../../../projections/engine/registry.ts';
import { restoreRows } from '../apply/known-rows.ts';
import type { RemovedRow } from '../apply/mirror.ts';

/** For this long a removal can be undone. */
export const UNDO_DAYS = 7;

/** Rows restored in one transaction. */
const PAGE = 5_000;

interface KeptRows {
  /** Of the replacement. */
  readonly id: number;
  readonly source: Source;
  readonly keys: readonly string[];
  /** Of the removal, if the row's own version is older. */
  readonly version: string;
  /** Whether the removal of a row comes right after the record of the row; see `removedVersion`. Default: false. */
  readonly isPlaced?: boolean;
}

/** Stores rows before a replacement or a sweep removes them. */
export async function keepRows(
  db: Pool | ClientBase,
  registry: Registry,
  { id, source, keys, version, isPlaced = false }: KeptRows,
): Promise<void> {
  await db.query({
    name: 'keep-rows',
    // The removal's version is that of a tombstone; see fold.ts. A row that changed since it was kept is kept anew.
    text: `insert into ingest.removed_row (replacement, source, key, subject, order_key, row, version, removed_version,
             source_time, changed_time)
           select $1, source, key, subject, order_key, row, version,
             greatest(overlay(case when $5 and length(version) > 41 then left(version, -1) || 'r' else version end
               placing right($4, 1) from 41 for 1), $4), source_time, changed_time
           from ingest.mirror where source = $2 and key = any($3::text[]) and row is not null
           on conflict (replacement, key) do update set subject = excluded.subject, order_key = excluded.order_key,
             row = excluded.row, version = excluded.version, removed_version = excluded.removed_version,
             source_time = excluded.source_time, changed_time = excluded.changed_time`,
    values: [id, registry.idOf(source), textArray(keys), version, isPlaced],
  });
}

/** A replacement by a file or a sweep whose removal can be undone. */
export interface UndoableReplacement {
  readonly id: number;
  readonly table: string;
  readonly removedAt: Date;
  /** Removed rows, of which some may have come back since. */
  readonly rows: number;
}

/** The newest first. */
export async function listUndoable(pool: Pool): Promise<UndoableReplacement[]> {
  const { rows } = await pool.query<UndoableReplacement>(
    `select replacement as id, name as table, max(removed_at) as "removedAt", count(*)::float8 as rows
     from ingest.removed_row join ingest.source on source.id = removed_row.source
     where removed_at > now() - make_interval(days => ${UNDO_DAYS})
     group by replacement, name order by replacement desc`,
  );
  return rows;
}

/**
 * Restores the rows that a table's newest replacement or sweep removed, except those that have been written, removed again or
 * truncated since. Continues after an interruption. Afterwards the same file can replace the table again.
 *
 * @returns how many were restored, and how many were not; null if there is nothing to undo
 */
export async function undoReplacement(
  pool: Pool,
  registry: Registry,
  source: Source,
  { actor, why }: { readonly actor: string; readonly why: string },
): Promise<{ readonly restored: number; readonly changedSince: number } | null> {
  const found = (await listUndoable(pool)).find(({ table }) => sourceByTable.get(table) === source);
  if (found === undefined) return null;
  let restored = 0;
  let kept = 0;
  for (;;) {
    const page = await transaction(pool, (client) => restorePage(client, registry, source, found.id));
    restored += page.restored;
    kept += page.taken;
    if (page.taken < PAGE) break;
  }
  const changedSince = kept - restored;
  await transaction(pool, async (client) => {
    await client.query('delete from ingest.replacement where id = $1', [found.id]);
    const detail = { restored, changedSince, removedAt: found.removedAt };
    await recordAudit(client, { actor, action: 'load undo', target: source.table, reason: why, detail });
  });
  return { restored, changedSince };
}

async function restorePage(
  client: ClientBase,
  registry: Registry,
  source: Source,
  replacement: number,
): Promise<{ readonly taken: number; readonly restored: number }> {
  const { rows } = await client.query<RemovedRow>(
    `delete from ingest.removed_row where replacement = $1 and key = any(array(
       select key from ingest.removed_row where replacement = $1 order by key limit ${PAGE}))
     returning key, subject, order_key as "orderKey", row, version, removed_version as "removedVersion",
       (extract(epoch from source_time) * 1000)::float8 as "sourceTimeMs",
       (extract(epoch from changed_time) * 1000)::float8 as "changedTimeMs"`,
    [replacement],
  );
  return { taken: rows.length, restored: await restoreRows(client, registry, source, rows) };
}

/** Deletes kept rows that were removed before an instant, in bounded steps. @returns how many */
export async function purgeRemovedRows(pool: Pool, before: Date, signal: AbortSignal): Promise<number> {
  for (let purged = 0; ; ) {
    signal.throwIfAborted();
    const { rowCount } = await pool.query(
      `delete from ingest.removed_row where ctid = any(array(
         select ctid from ingest.removed_row where removed_at < $1 limit ${PAGE}))`,
      [before],
    );
    purged += rowCount ?? 0;
    if ((rowCount ?? 0) < PAGE) return purged;
  }
}
