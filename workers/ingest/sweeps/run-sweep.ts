import type { Pool } from 'pg';
import { recordAudit } from '../../../db/audit.ts';
import { LOCKS } from '../../../db/locks.ts';
import { transaction } from '../../../db/transaction.ts';
import type { Registry } from '../../../projections/engine/registry.ts';
import { removeRows } from '../apply/known-rows.ts';
import { removalVersion } from '../decode/version.ts';
import { keepRows } from '../snapshots/undo-replacement.ts';
import { countMissing, missingRows, type SnapshotCounts } from './missing-rows.ts';
import { type Sweep, settle } from './sweep.ts';

export interface SweepOptions {
  /** Stored in the audit trail. */
  readonly actor: string;
  readonly action: string;
  readonly why?: string | null;
  /** Stops after the current page. */
  readonly signal?: AbortSignal | undefined;
  /** Why nothing may be removed; null if rows may be. */
  readonly objection: (counts: SnapshotCounts) => string | null;
}

export interface SweepResult {
  readonly removed: number;
  /** Why it is blocked; null if it is not. */
  readonly objection: string | null;
  readonly counts: SnapshotCounts;
  /** False if it was stopped. */
  readonly isWhole: boolean;
}

/**
 * Removes the rows of a table that its snapshot lacks and that are older, keeps them for an undo, and marks their
 * documents dirty. Continues after an interruption. Only one process may run it; see `withSweepLock`.
 */
export async function runSweep(
  pool: Pool,
  registry: Registry,
  sweep: Sweep,
  { actor, action, why = null, signal, objection: objectionTo }: SweepOptions,
): Promise<SweepResult> {
  await registry.readEpochs(pool);
  const counts = await countMissing(pool, registry, sweep);
  const objection = objectionTo(counts);
  if (objection !== null) {
    await transaction(pool, (client) =>
      settle(client, sweep, { state: 'blocked', reason: objection, counts }),
    );
    return { removed: 0, objection, counts, isWhole: true };
  }
  let removed = 0;
  for (let from = ''; ; ) {
    if (signal?.aborted) return { removed, objection, counts, isWhole: false };
    const rows = await missingRows(pool, registry, { sweep, from });
    const last = rows.at(-1);
    if (last === undefined) break;
    removed += await removePage(pool, registry, sweep, { rows, since: counts.since });
    // No text sorts between the two.
    from = `${last.key}\u0001`;
  }
  await transaction(pool, async (client) => {
    await settle(client, sweep, { state: 'done', counts });
    const { rows } = await client.query<{ removed: number }>(
      'select removed::float8 as removed from ingest.sweep where id = $1',
      [sweep.id],
    );
    const total = rows[0]?.removed ?? 0;
    if (total === 0 && why === null) return;
    const { topic, snapshotTime, endedAt } = sweep;
    const { stored, expected } = counts;
    const detail = { removed: total, stored, expected, topic, snapshotTime, endedAt };
    await recordAudit(client, { actor, action, target: sweep.source.table, reason: why, detail });
  });
  return { removed, objection, counts, isWhole: true };
}

interface Page {
  readonly rows: Awaited<ReturnType<typeof missingRows>>;
  /** Dead letters of rows that were written to the log before cannot bring them back. */
  readonly since: Date | null;
}

function removePage(
  pool: Pool,
  registry: Registry,
  { id, source, snapshotTime, endedAt }: Sweep,
  { rows, since }: Page,
): Promise<number> {
  const removal = removalVersion(registry.epochOf(source), (snapshotTime ?? endedAt).getTime());
  return transaction(pool, async (client) => {
    const { rows: replacements } = await client.query<{ id: number }>(
      `insert into ingest.replacement (topic) values ($1)
       on conflict (topic) do update set topic = excluded.topic returning id`,
      [`sweep ${id}`],
    );
    const replacement = replacements[0]?.id ?? 0;
    const keep = (keys: readonly string[]) =>
      keepRows(client, registry, { id: replacement, source, keys, version: removal, isPlaced: true });
    const timeMs = Math.min((since ?? endedAt).getTime(), endedAt.getTime());
    const removed = await removeRows(client, registry, source, { rows, removal, timeMs, keep });
    await client.query('update ingest.sweep set removed = removed + $2 where id = $1', [id, removed]);
    return removed;
  });
}

/** Runs while no other process sweeps. @returns null if another one does */
export async function withSweepLock<T>(pool: Pool, run: () => Promise<T>): Promise<T | null> {
  const client = await pool.connect();
  let broken = true;
  try {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
      LOCKS.sweep,
    ]);
    if (!rows[0]?.locked) {
      broken = false;
      return null;
    }
    try {
      return await run();
    } finally {
      await client.query('select pg_advisory_unlock($1)', [LOCKS.sweep]);
      broken = false;
    }
  } finally {
    // A connection that could not unlock must end.
    client.release(broken);
  }
}
