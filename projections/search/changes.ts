/**
 * SQL that has every change of a version's documents noted in `search.change`.
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
 * SQL condition: whether a row of `search.change` is not shown by a snapshot. Never by its place in a sequence, for of two
 * transactions the later one may commit first. A replica's snapshots do not tell which transactions are under way: there
 * some changes are taken in twice, which does no harm.
 *
 * @param version SQL of the version
 * @param snapshot SQL of the snapshot
 */
export const changedSince = (version: string, snapshot: string): string => `
  change.version = ${version} and change.xid >= pg_snapshot_xmin(${snapshot})
    and (pg_is_in_recovery() or not pg_visible_in_snapshot(change.xid, ${snapshot}))`;
