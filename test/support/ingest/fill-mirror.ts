import type { Pool } from 'pg';
import type { SourceRegistry } from '../../../projections/engine/projection.ts';
import type { SourceRows } from '../rows/source-rows.ts';

/** Puts rows into the mirror as if they had just been ingested, in the order given, and their sources as delivered. */
export async function fillMirror(
  pool: Pool,
  registry: SourceRegistry,
  given: readonly SourceRows[],
): Promise<void> {
  for (const { source, rows } of given) {
    const id = registry.idOf(source);
    await pool.query(
      `update ingest.source set first_change_at = now(), newest_change_at = now() where id = $1`,
      [id],
    );
    for (const [index, row] of rows.entries()) {
      const key = JSON.stringify(source.key.map((column) => row[column]));
      await pool.query(
        `insert into ingest.mirror (source, key, subject, order_key, row, version, source_time, changed_time)
         values ($1, $2, $3, $4, $5, '1', '2019-06-30T12:00:00Z', '2019-06-30T12:00:00Z')`,
        [id, key, String(row[source.subject.column]), String(index).padStart(6, '0'), JSON.stringify(row)],
      );
      for (const { kind, column } of source.alsoAbout) {
        for (const value of [row[column]].flat().filter((fed) => fed !== null)) {
          await pool.query('insert into ingest.link (source, subject, key) values ($1, $2, $3)', [
            id,
            `${kind}:${value}`,
            key,
          ]);
        }
      }
    }
  }
}
