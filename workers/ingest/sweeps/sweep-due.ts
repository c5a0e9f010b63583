import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Registry } from '../../../projections/engine/registry.ts';
import { INGEST } from '../dead-letters/dead-letter.ts';
import { findObjection } from './find-objection.ts';
import { type LogEnds, noteLogEnds } from './note-log-ends.ts';
import { runSweep, withSweepLock } from './run-sweep.ts';
import { readDue, type Sweep, type SweepMode } from './sweep.ts';

/** A connector writes the rows of a snapshot to several brokers; one may answer so much later than the one of its last row. */
const GRACE_MS = 5_000;

export interface SweepContext {
  readonly pool: Pool;
  readonly registry: Registry;
  readonly log: Logger;
  readonly group: string;
  readonly mode: SweepMode;
  readonly logs: LogEnds;
  readonly signal?: AbortSignal;
  /** Time from the end of a snapshot until the ends of its logs are read (default: 5 seconds). */
  readonly graceMs?: number;
}

/**
 * Removes the rows that ended snapshots lack, once everything is applied that was in the log when they had ended. Any
 * worker does it, whichever partitions it reads, and one at a time.
 */
export async function sweepDue(context: SweepContext): Promise<void> {
  const { pool, group, logs, signal, graceMs = GRACE_MS } = context;
  await noteLogEnds(pool, logs, { group, graceMs });
  if ((await readDue(pool, group)).length === 0) return;
  await withSweepLock(pool, async () => {
    for (const sweep of await readDue(pool, group)) {
      if (signal?.aborted) return;
      await sweepOne(context, sweep);
    }
  });
}

async function sweepOne({ pool, registry, log, mode, signal }: SweepContext, sweep: Sweep): Promise<void> {
  const { removed, objection, counts } = await runSweep(pool, registry, sweep, {
    actor: INGEST,
    action: 'sweep',
    signal,
    objection: (counts) => findObjection(counts, mode),
  });
  const about = { source: sweep.source.table, topic: sweep.topic, endedAt: sweep.endedAt, ...counts };
  if (objection !== null)
    log.warn({ ...about, objection }, 'rows that a snapshot lacks stay; see: ops sweeps');
  else if (removed > 0) log.info({ ...about, removed }, 'rows that a snapshot lacks were removed');
}
