import type { ClientBase, Pool } from 'pg';
import { int2Bytes, timestamptzBytes } from '../../../db/binary-values.ts';
import { copyRows } from '../../../db/copy-binary.ts';
import { transaction } from '../../../db/transaction.ts';
import type { Source } from '../../../projections/contracts/contract.ts';
import type { SourceRegistry } from '../../../projections/engine/projection.ts';
import { lockVersions, markNewRows } from '../apply/apply-changes.ts';
import { enforceLimits } from '../apply/enforce-limits.ts';
import { EpochRaised, readSourceStates, requireEpochs } from '../apply/epochs.ts';
import type { IngestResult, RecordBatch } from '../apply/ingest-batch.ts';
import { movePosition } from '../apply/position.ts';
import { countRecords } from '../apply/record-counts.ts';
import { announceFirstDeliveries, noteChanges } from '../apply/source-freshness.ts';
import { quarantine, rejectedDeadLetters } from '../dead-letters/quarantine.ts';
import type { Upsert } from '../decode/envelope.ts';
import { DEFAULT_LIMITS } from '../record-limits.ts';

const DUPLICATE = '23505';
const DEADLOCK = '40P01';

/**
 * Copies a batch of snapshot rows straight into the mirror, for sources without any row: there is nothing to compare.
 *
 * @returns null if the source has rows after all; nothing is written then
 */
export async function copySnapshot(
  pool: Pool,
  registry: SourceRegistry,
  batch: RecordBatch,
): Promise<IngestResult | null> {
  const { topicPartition, limits = DEFAULT_LIMITS } = batch;
  try {
    return await transaction(pool, async (client) => {
      await movePosition(client, batch);
      const { records, newest } = await enforceLimits(client, registry, batch.records, { limits });
      const upserts = records.flatMap(({ decoded }) =>
        decoded.kind === 'upsert' && decoded.unavailable.length === 0 ? [decoded] : [],
      );
      // In key order the copy visits index pages one after the other, which halves its time.
      upserts.sort((a, b) => (a.key < b.key ? -1 : 1));
      const deadLetters = rejectedDeadLetters(records, topicPartition);
      if (upserts.length + deadLetters.length < records.length) throw new NotCopyable('not only whole rows');
      const versions = await lockVersions(client, false);
      await requireEmpty(client, upserts, registry);
      await announceFirstDeliveries(client, registry, { changes: upserts, versions });
      await copyUpserts(client, upserts, registry);
      await markNewRows(client, upserts, versions);
      await noteChanges(client, registry, { changes: upserts, truncates: [] });
      const settled = upserts.map((state) => ({ source: state.source, key: state.key, state }));
      const applied = { settled, truncated: [] };
      await quarantine(client, registry, { deadLetters, records, partition: topicPartition, applied });
      const outcomes = new Map(upserts.map((upsert) => [upsert, 'applied'] as const));
      const counts = await countRecords(client, registry, { topicPartition, records, outcomes, newest });
      return { ...counts, changed: upserts.length };
    });
  } catch (error) {
    if (isNotCopyable(error)) return null;
    throw error;
  }
}

class NotCopyable extends Error {
  override readonly name = 'NotCopyable';
}

const isNotCopyable = (error: unknown): boolean =>
  error instanceof NotCopyable ||
  error instanceof EpochRaised ||
  [DUPLICATE, DEADLOCK].includes((error as { code?: string }).code ?? '');

/** Checks again under the lock: rows from before a truncate must not come back. Existing rows fail as duplicates. */
async function requireEmpty(
  client: ClientBase,
  upserts: readonly Upsert[],
  registry: SourceRegistry,
): Promise<void> {
  const states = await readSourceStates(client, new Set(upserts.map(({ source }) => source)), registry);
  requireEpochs(upserts, states);
  for (const [source, { floor }] of states) {
    if (floor !== null) throw new NotCopyable(`${source.table} was truncated`);
  }
}

async function copyUpserts(
  client: ClientBase,
  upserts: readonly Upsert[],
  registry: SourceRegistry,
): Promise<void> {
  await copyRows(
    client,
    'ingest.mirror (source, key, subject, order_key, row, version, source_time, changed_time)',
    rowsOf(upserts, registry),
  );
  const linked = upserts.filter(({ links }) => links.length > 0);
  if (linked.length === 0) return;
  await copyRows(
    client,
    'ingest.link (source, subject, key)',
    linked.flatMap(({ source, key, links }) =>
      [...new Set(links)].map((link) => [int2Bytes(registry.idOf(source)), link, key]),
    ),
  );
}

function* rowsOf(upserts: readonly Upsert[], registry: SourceRegistry) {
  for (const { source, key, subject, orderKey, row, version, sourceTimeMs } of upserts) {
    const time = timestamptzBytes(sourceTimeMs);
    yield [int2Bytes(registry.idOf(source)), key, subject, orderKey, row, version, time, time];
  }
}

/** Whether the mirror has no row of the source and no truncate, so that its snapshot can be copied. */
export async function isEmptySource(pool: Pool, source: Source, registry: SourceRegistry): Promise<boolean> {
  const { rows } = await pool.query<{ is_empty: boolean }>(
    `select truncated_version is null and not exists (select from ingest.mirror where mirror.source = source.id)
       as is_empty
     from ingest.source where id = $1`,
    [registry.idOf(source)],
  );
  return rows[0]?.is_empty ?? false;
}
