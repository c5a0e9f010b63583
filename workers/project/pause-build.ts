import type { Pool } from 'pg';
import { recordAudit } from '../../db/audit.ts';
import { transaction } from '../../db/transaction.ts';
import type { Projection } from '../../projections/engine/projection.ts';
import type { Decision } from './decision.ts';

/**
 * Pauses the builders of a projection after their current ranges, or resumes them.
 *
 * @returns the version
 * @throws if nothing is being built
 */
export async function setPaused(
  pool: Pool,
  { name }: Projection,
  { isPaused, decision }: { readonly isPaused: boolean; readonly decision: Decision },
): Promise<number> {
  return transaction(pool, async (client) => {
    const { rows } = await client.query<{ id: number }>(
      `update projection.version
       set paused_at = case when $2 then coalesce(paused_at, now()) end
       where projection = $1 and state = 'building' returning id`,
      [name, isPaused],
    );
    const [version] = rows;
    if (version === undefined) throw new Error(`no version of ${name} is being built`);
    await recordAudit(client, {
      ...decision,
      action: isPaused ? 'rebuild pause' : 'rebuild resume',
      target: name,
      detail: { version: version.id },
    });
    return version.id;
  });
}
