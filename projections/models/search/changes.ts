/**
 * SQL of the triggers that record every change of a version's documents in `search.change`.
 *
 * @param table of the documents
 */
export const changeTriggers = (table: string, version: number): string =>
  (
    [
      ['insert', 'new'],
      ['update', 'new'],
      ['delete', 'old'],
    ] as const
  )
    .map(
      ([event, rows]) => `
      create trigger note_${event} after ${event} on ${table}
        referencing ${rows} table as changed
        for each statement execute function search.note_changes(${version});`,
    )
    .join('');

/**
 * SQL condition: a row of `search.change` is newer than a snapshot. It compares transactions, not sequence values, because
 * a later transaction may commit first. A replica's snapshot does not list open transactions; there some changes are
 * applied twice, which is harmless.
 *
 * @param version SQL of the version
 * @param snapshot SQL of the snapshot
 */
export const changedSince = (version: string, snapshot: string): string => `
  change.version = ${version} and change.xid >= pg_snapshot_xmin(${snapshot})
    and (pg_is_in_recovery() or not pg_visible_in_snapshot(change.xid, ${snapshot}))`;
