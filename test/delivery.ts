import type { Registry } from '../projections/registry.ts';
import type { Source } from '../projections/sources/contract.ts';
import { decodeRecord, type IncomingRecord } from '../workers/ingest/decode/envelope.ts';
import type { DecodedRecord } from '../workers/ingest/ingest-batch.ts';
import type { Deed } from './history/history.ts';

interface Batch {
  readonly records: readonly DecodedRecord[];
  /** Whether projectors get a turn before the next batch. */
  readonly drainAfter: boolean;
}

/** What one topic delivers in a row. */
export interface Delivery {
  readonly topic: string;
  readonly batches: readonly Batch[];
}

/** Log position of the first deed; the deeds follow at a distance of 1. */
const FIRST_LSN = 1_000;
export const FIRST_TIME_MS = Date.UTC(2026, 0, 1);

const UNAVAILABLE = '__debezium_unavailable_value';

/**
 * The deeds as change events: each topic in its order, but with some of its events again later, cut into batches
 * anywhere. The topics of different sources come in any order.
 *
 * @param chance numbers that decide all that is left open
 */
export function deliveries(deeds: readonly Deed[], chance: Iterable<number>, registry: Registry): Delivery[] {
  const numbers = chance[Symbol.iterator]();
  const below = (limit: number): number => (numbers.next().value ?? 0) % limit;
  const bySource = Map.groupBy(deeds.entries(), ([, deed]) => deed.source);
  const rooms: Delivery[] = [];
  for (const [source, entries] of bySource) {
    const events = entries.flatMap(([index, deed]) => eventsOf(deed, index, deeds));
    const repeated = events.flatMap((event, index) =>
      below(4) === 0 ? [event, ...events.slice(below(index + 1), index + 1)] : [event],
    );
    const records = repeated.map((event, offset): DecodedRecord => {
      const record: IncomingRecord = { ...event, offset };
      return { record, decoded: decodeRecord(record, { prefix: 'producers', epoch: registry.epochOf }) };
    });
    rooms.push({ topic: topicOf(source), batches: cut(records, below) });
  }
  return rooms.sort(() => below(3) - 1);
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

/** A record that has no place in a topic yet. */
export interface Event extends Omit<IncomingRecord, 'offset' | 'key' | 'value'> {
  readonly key: string | null;
  readonly value: string | null;
}

/** A deed as Debezium would tell it; a delete is followed by its tombstone. */
export function eventsOf(deed: Deed, index: number, deeds: readonly Deed[]): Event[] {
  const lsn = FIRST_LSN + index;
  const timeMs = FIRST_TIME_MS + index * 1_000;
  const key = Object.fromEntries(deed.source.key.map((name) => [name, deed.row[name]]));
  const isThere = deed.unavailable.length > 0 && wasThere(deed, index, deeds);
  const after = Object.fromEntries(
    Object.entries(deed.row).map(([name, value]) => [
      name,
      isThere && deed.unavailable.includes(name) ? UNAVAILABLE : value,
    ]),
  );
  const [schema, table] = deed.source.table.split('.');
  const envelope = {
    before: deed.kind === 'delete' ? key : null,
    after: deed.kind === 'write' ? after : null,
    source: { schema, table, ts_ms: timeMs, lsn, sequence: `["${lsn - 1}","${lsn}"]` },
    op: { write: 'u', delete: 'd', truncate: 't' }[deed.kind],
    ts_ms: timeMs + 5,
  };
  const event: Event = {
    topic: topicOf(deed.source),
    key: deed.kind === 'truncate' ? null : JSON.stringify(key),
    value: JSON.stringify(envelope),
    headers: {},
    timestamp: timeMs + 10,
  };
  return deed.kind === 'delete' ? [event, { ...event, value: null }] : [event];
}

/** Whether the producer held the row when it wrote it: only then can a column be unchanged. */
function wasThere(deed: Deed, index: number, deeds: readonly Deed[]): boolean {
  for (let at = index - 1; at >= 0; at--) {
    const earlier = deeds[at];
    if (earlier === undefined || earlier.source !== deed.source) continue;
    if (earlier.kind === 'truncate') return false;
    if (deed.source.key.every((name) => earlier.row[name] === deed.row[name]))
      return earlier.kind === 'write';
  }
  return false;
}
