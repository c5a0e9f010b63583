import type { ClientBase } from 'pg';
import { sourceByTable } from '../../../projections/contracts/index.ts';
import type { Registry } from '../../../projections/engine/registry.ts';
import type { DecodedRecord, SnapshotNotice, Upsert } from '../decode/envelope.ts';
import { endOfEmptySnapshot, hasDelivery } from '../decode/version.ts';
import { FILE_GROUPS, type TopicPartition } from './position.ts';
import { notAhead } from './source-freshness.ts';

/**
 * Stores which snapshots of tables have ended in a batch, and what connectors report of them, so that rows which a
 * snapshot lacks are removed later. Most batches contain neither, and write nothing.
 */
export async function noteSnapshots(
  client: ClientBase,
  registry: Registry,
  { partition, records }: { readonly partition: TopicPartition; readonly records: readonly DecodedRecord[] },
): Promise<void> {
  if (FILE_GROUPS.includes(partition.group)) return;
  for (const { record, decoded } of records) {
    const { offset, timestamp } = record;
    if (timestamp === null || timestamp <= 0) continue;
    const at = new Date(notAhead(timestamp));
    if (decoded.kind === 'upsert' && isLastOfTable(decoded)) {
      const { source, version, sourceTimeMs, connector = '' } = decoded;
      await noteEnd(client, [
        ...[registry.idOf(source), partition.group, partition.topic, connector],
        ...[version, new Date(sourceTimeMs), at],
      ]);
    } else if (decoded.kind === 'ignored' && decoded.notice !== undefined) {
      await noteNotice(client, partition, { notice: decoded.notice, offset, at });
      const empty = emptyTableOf(decoded.notice);
      if (empty === null) continue;
      const { source, topic } = empty;
      const version = endOfEmptySnapshot(registry.epochOf(source), topic, timestamp);
      await noteEnd(client, [
        ...[registry.idOf(source), partition.group, topic, decoded.notice.connector],
        ...[version, null, at],
      ]);
    }
  }
}

const ENDS: ReadonlySet<unknown> = new Set(['last', 'last_in_data_collection']);

/** Whether a row is the last one of a snapshot of its source's own table, and not of a part that is routed to its topic. */
function isLastOfTable({ origin, source, version }: Upsert): boolean {
  if (origin === undefined || !ENDS.has(origin.snapshot)) return false;
  const { schema, table } = origin;
  if (typeof schema !== 'string' || typeof table !== 'string') return false;
  return `${schema}.${table}` === source.table && hasDelivery(version);
}

/** A table without rows has no last one; only a notification says that its snapshot has ended. */
function emptyTableOf({ connector, scanned }: SnapshotNotice) {
  const source = scanned?.rows === 0 ? sourceByTable.get(scanned.table) : undefined;
  return source === undefined ? null : { source, topic: `${connector}.${source.table}` };
}

async function noteEnd(client: ClientBase, values: readonly unknown[]): Promise<void> {
  await client.query({
    name: 'note-snapshot-end',
    text: `insert into ingest.sweep (source, consumer_group, topic, connector, version, snapshot_time, ended_at)
           values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
    values: [...values],
  });
}

async function noteNotice(
  client: ClientBase,
  { group, topic, partition }: TopicPartition,
  { notice, offset, at }: { readonly notice: SnapshotNotice; readonly offset: number; readonly at: Date },
): Promise<void> {
  const { connector, scanned } = notice;
  await client.query({
    name: 'note-snapshot-notice',
    text: `insert into ingest.snapshot_notice (consumer_group, topic, partition, record_offset, noted_at, connector,
             table_name, row_count)
           values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`,
    values: [group, topic, partition, offset, at, connector, scanned?.table ?? null, scanned?.rows ?? null],
  });
}
