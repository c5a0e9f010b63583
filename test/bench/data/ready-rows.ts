import { int2Bytes, timestamptzBytes } from '../../../db/binary-values.ts';
import type { CopyValue } from '../../../db/copy-binary.ts';
import type { SourceRegistry } from '../../../projections/engine/projection.ts';
import type { KeyState } from '../../../workers/ingest/apply/mirror.ts';
import { decodeRecord, type Upsert } from '../../../workers/ingest/decode/envelope.ts';
import type { ChangeEvent } from './events.ts';

const BATCH = 2_000;

/** The states that events lead to, as a bare statement takes them: by topic, in batches, each key once in a batch. */
export function readyBatches(events: Iterable<ChangeEvent>): KeyState[][] {
  const batches: KeyState[][] = [];
  const open = new Map<string, Map<string, KeyState>>();
  const close = (table: string, batch: Map<string, KeyState>): void => {
    batches.push([...batch.values()]);
    open.delete(table);
  };
  let offset = 0;
  for (const event of events) {
    const { table } = event.source;
    const settled = settledBy(event, offset++);
    const batch = open.get(table) ?? new Map<string, KeyState>();
    open.set(table, batch);
    batch.set(settled.key, settled);
    if (batch.size === BATCH) close(table, batch);
  }
  for (const [table, batch] of open) close(table, batch);
  return batches;
}

function settledBy({ source, key, value }: ChangeEvent, offset: number): KeyState {
  const record = { topic: `.${source.table}`, key, value, headers: {}, offset, timestamp: null };
  const decoded = decodeRecord(record, { prefix: '', epoch: () => 0 });
  if (decoded.kind !== 'upsert') throw new Error(`${source.table} ${key} decoded to ${decoded.kind}`);
  return settle(decoded);
}

function settle({ source, key, subject, links, orderKey, row, version, sourceTimeMs }: Upsert): KeyState {
  const state = { subject, links, orderKey, row, version, sourceTimeMs, changedTimeMs: sourceTimeMs };
  return { source, key, state };
}

/** The same as rows for COPY, in the columns of `MIRROR_COLUMNS`. */
export function copyValues({ source, key, state }: KeyState, registry: SourceRegistry): readonly CopyValue[] {
  const { subject, orderKey, row, version, sourceTimeMs } = state;
  const time = timestamptzBytes(sourceTimeMs);
  return [int2Bytes(registry.idOf(source)), key, subject, orderKey, row, version, time, time];
}
