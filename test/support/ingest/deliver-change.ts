import type { Pool } from 'pg';
import type { RowOf } from '../../../projections/contracts/columns.ts';
import type { Source } from '../../../projections/contracts/contract.ts';
import type { Registry } from '../../../projections/engine/registry.ts';
import { ingestBatch } from '../../../workers/ingest/apply/ingest-batch.ts';
import { type DrainTotals, drain } from '../../../workers/project/drain.ts';
import type { ProducerChange } from '../history/history.ts';
import { rowsOf } from '../rows/source-rows.ts';
import { deliveries, repeat } from './delivery.ts';

/** Delivers one change to a table and projects what it marks. */
export type DeliverChange = <S extends Source>(
  source: S,
  row: Partial<RowOf<S['columns']>>,
  kind?: ProducerChange['kind'],
) => Promise<DrainTotals>;

/** Delivers changes one after the other. */
export function changeDeliverer(pool: Pool, registry: () => Registry): DeliverChange {
  const rowChanges: ProducerChange[] = [];
  return async (source, row, kind = 'write') => {
    rowChanges.push(
      ...rowsOf(source, row).rows.map(
        (whole): ProducerChange => ({ source, kind, row: whole, unavailable: [] }),
      ),
    );
    const topic = `producers.${source.table}`;
    const delivery = deliveries(rowChanges, repeat(1), registry()).find((one) => one.topic === topic);
    // A delete is followed by its tombstone.
    const records =
      delivery?.batches.flatMap((batch) => batch.records).slice(kind === 'delete' ? -2 : -1) ?? [];
    const place = { group: `change ${rowChanges.length}`, topic, partition: 0 };
    await ingestBatch(pool, registry(), {
      topicPartition: place,
      records,
      from: null,
      to: 1 + (records.at(-1)?.record.offset ?? 0),
    });
    return drain(pool, registry());
  };
}
