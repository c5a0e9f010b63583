import type { ClientBase } from 'pg';
import type { SourceRegistry } from '../../../projections/engine/projection.ts';
import type { IncompleteChange } from '../apply/fold.ts';
import type { PartitionId } from '../apply/position.ts';
import type { Decoded, DecodedRecord } from '../decode/envelope.ts';
import { classOf, INGEST, UNAVAILABLE } from './dead-letter.ts';
import { type DeadLetter, storeDeadLetters } from './store-dead-letters.ts';
import { type AppliedVersions, supersedeDeadLetters, supersedeOutdated } from './supersede.ts';

export interface QuarantineBatch {
  readonly deadLetters: readonly DeadLetter[];
  /** All records of the batch. */
  readonly records: readonly DecodedRecord[];
  readonly partition: PartitionId;
  readonly applied: AppliedVersions;
}

/**
 * Stores the dead letters of a batch in the batch's transaction, and settles the open ones that this batch or an earlier
 * one has superseded.
 */
export async function quarantine(
  client: ClientBase,
  registry: SourceRegistry,
  { deadLetters, records, partition, applied }: QuarantineBatch,
): Promise<void> {
  const stored = await storeDeadLetters(client, deadLetters, registry);
  await supersedeDeadLetters(client, registry, {
    records,
    partitionOf: () => partition,
    applied,
    actor: INGEST,
  });
  await supersedeOutdated(client, stored, INGEST);
}

/** Dead letters of the records that could not be decoded. */
export function rejectedDeadLetters(records: readonly DecodedRecord[], partition: PartitionId): DeadLetter[] {
  return records.flatMap(({ record, decoded }) => {
    if (decoded.kind !== 'rejected') return [];
    const { source, table, key, version, violations } = decoded;
    return [
      { partition, record, source, table, key, version, class: classOf(source, violations), violations },
    ];
  });
}

/** Dead letters of the changes that left out values which no stored row has. */
export function incompleteDeadLetters(
  records: readonly DecodedRecord[],
  incomplete: readonly IncompleteChange[],
  partition: PartitionId,
): DeadLetter[] {
  if (incomplete.length === 0) return [];
  const recordOf = new Map<Decoded, DecodedRecord['record']>(
    records.map(({ record, decoded }) => [decoded, record]),
  );
  return incomplete.flatMap(({ change, missing }) => {
    const { source, key, version } = change;
    const record = recordOf.get(change);
    if (record === undefined) return [];
    const violations = missing.map((field) => ({ field, reason: UNAVAILABLE }));
    return [
      { partition, record, source, table: source.table, key, version, class: 'incomplete', violations },
    ];
  });
}
