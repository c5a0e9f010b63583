import type { Source } from '../../../projections/contracts/contract.ts';
import type { Registry } from '../../../projections/engine/registry.ts';
import {
  type DecodedRecord,
  decodeRecord,
  type IncomingRecord,
} from '../../../workers/ingest/decode/envelope.ts';
import type { ProducerChange } from '../history/history.ts';

interface Batch {
  readonly records: readonly DecodedRecord[];
  /** Whether projectors run before the next batch. */
  readonly drainAfter: boolean;
}

/** The batches of one topic. */
export interface Delivery {
  readonly topic: string;
  readonly batches: readonly Batch[];
}

/** Log position of the first row change; each further one is one position later. */
const FIRST_LSN = 1_000;
export const FIRST_TIME_MS = Date.UTC(2026, 0, 1);

const UNAVAILABLE = '__debezium_unavailable_value';

/**
 * The row changes as change events: each topic in its order, with some events repeated, in batches of any size. The topics of
 * different sources come in any order.
 *
 * @param chance numbers that decide each choice
 */
export function deliveries(
  rowChanges: readonly ProducerChange[],
  chance: Iterable<number>,
  registry: Registry,
): Delivery[] {
  const numbers = chance[Symbol.iterator]();
  const below = (limit: number): number => (numbers.next().value ?? 0) % limit;
  const bySource = Map.groupBy(rowChanges.entries(), ([, rowChange]) => rowChange.source);
  const topics: Delivery[] = [];
  for (const [source, entries] of bySource) {
    const events = entries.flatMap(([index, rowChange]) => eventsOf(rowChange, index, rowChanges));
    const repeated = events.flatMap((event, index) =>
      below(4) === 0 ? [event, ...events.slice(below(index + 1), index + 1)] : [event],
    );
    const records = repeated.map((event, offset): DecodedRecord => {
      const record: IncomingRecord = { ...event, offset };
      return { record, decoded: decodeRecord(record, { prefix: 'producers', epoch: registry.epochOf }) };
    });
    topics.push({ topic: topicOf(source), batches: cut(records, below) });
  }
  return topics.sort(() => below(3) - 1);
}

const topicOf = (source: Source): string => `producers.${source.table}`;

function cut(records: readonly DecodedRecord[], below: (limit: number) => number): Batch[] {
  const batches: Batch[] = [];
  for (let at = 0; at < records.length; ) {
    const size = 1 + below(7);
    batches.push({ records: records.slice(at, at + size), drainAfter: below(3) === 0 });
    at += size;
  }
  return batches;
}

/** A record without an offset. */
export interface Event extends Omit<IncomingRecord, 'offset' | 'key' | 'value'> {
  readonly key: string | null;
  readonly value: string | null;
}

/** The Debezium events of a row change: one, or a delete and its tombstone. */
export function eventsOf(
  rowChange: ProducerChange,
  index: number,
  rowChanges: readonly ProducerChange[],
): Event[] {
  const lsn = FIRST_LSN + index;
  const timeMs = FIRST_TIME_MS + index * 1_000;
  const key = Object.fromEntries(rowChange.source.key.map((name) => [name, rowChange.row[name]]));
  const isKnown = rowChange.unavailable.length > 0 && wasStored(rowChange, index, rowChanges);
  const after = Object.fromEntries(
    Object.entries(rowChange.row).map(([name, value]) => [
      name,
      isKnown && rowChange.unavailable.includes(name) ? UNAVAILABLE : value,
    ]),
  );
  const [schema, table] = rowChange.source.table.split('.');
  const envelope = {
    before: rowChange.kind === 'delete' ? key : null,
    after: rowChange.kind === 'write' ? after : null,
    source: { schema, table, ts_ms: timeMs, lsn, sequence: `["${lsn - 1}","${lsn}"]` },
    op: { write: 'u', delete: 'd', truncate: 't' }[rowChange.kind],
    ts_ms: timeMs + 5,
  };
  const event: Event = {
    topic: topicOf(rowChange.source),
    key: rowChange.kind === 'truncate' ? null : JSON.stringify(key),
    value: JSON.stringify(envelope),
    headers: {},
    timestamp: timeMs + 10,
  };
  return rowChange.kind === 'delete' ? [event, { ...event, value: null }] : [event];
}

/** Whether the producer had the row before: only then can a column be unchanged. */
function wasStored(rowChange: ProducerChange, index: number, rowChanges: readonly ProducerChange[]): boolean {
  for (let at = index - 1; at >= 0; at--) {
    const earlier = rowChanges[at];
    if (earlier === undefined || earlier.source !== rowChange.source) continue;
    if (earlier.kind === 'truncate') return false;
    if (rowChange.source.key.every((name) => earlier.row[name] === rowChange.row[name]))
      return earlier.kind === 'write';
  }
  return false;
}

/** Numbers for `deliveries` that always choose the same; with 1 no event is repeated, and the sources keep their order. */
export function* repeat(number: number): Generator<number> {
  for (;;) yield number;
}
