import type { Pool } from 'pg';
import { recordAudit } from '../../../db/audit.ts';
import { transaction } from '../../../db/transaction.ts';
import { type LetterSelector, SELECTED, selectorValues } from './select-letters.ts';

export interface DiscardOptions {
  readonly selector: LetterSelector;
  /** Who discards and why, and what the audit is to call the selection. */
  readonly actor: string;
  readonly why: string;
  readonly target: string;
}

/** Gives open letters up for good. They are kept until they are purged. @returns how many */
export async function discardLetters(
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
