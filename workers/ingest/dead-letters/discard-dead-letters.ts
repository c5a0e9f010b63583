import type { Pool } from 'pg';
import { recordAudit } from '../../../db/audit.ts';
import { transaction } from '../../../db/transaction.ts';
import { type DeadLetterSelector, SELECTED, selectorValues } from './select-dead-letters.ts';

export interface DiscardOptions {
  readonly selector: DeadLetterSelector;
  /** For the audit: who discards, why, and a name of the selection. */
  readonly actor: string;
  readonly why: string;
  readonly target: string;
}

/** Discards open dead letters for good. The rows stay until they are purged. @returns how many */
export async function discardDeadLetters(
  pool: Pool,
  { selector, actor, why, target }: DiscardOptions,
): Promise<number> {
  return transaction(pool, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      `update ingest.dead_letter
       set state = 'discarded', settled_at = now(), settled_by = $6, reason = $7
       where state = 'open' and ${SELECTED}
       returning id`,
      [...selectorValues(selector), actor, why],
    );
    if (rows.length === 0) return 0;
    const detail = { discarded: rows.map(({ id }) => Number(id)) };
    await recordAudit(client, { actor, action: 'dead-letters discard', target, reason: why, detail });
    return rows.length;
  });
}

const PURGE_BATCH = 2_000;

/** Deletes dead letters that were settled before an instant. Open ones stay, however old. @returns how many */
export async function purgeSettledDeadLetters(pool: Pool, olderThan: Date): Promise<number> {
  for (let purged = 0; ; ) {
    const { rowCount } = await pool.query(
      `delete from ingest.dead_letter where id in (
         select id from ingest.dead_letter where state <> 'open' and settled_at < $1 order by settled_at limit $2)`,
      [olderThan, PURGE_BATCH],
    );
    purged += rowCount ?? 0;
    if ((rowCount ?? 0) < PURGE_BATCH) return purged;
  }
}
