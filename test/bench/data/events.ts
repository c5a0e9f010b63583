import type { Source } from '../../../projections/contracts/contract.ts';
import { artistOf } from './artist.ts';
import { momentum } from './facts.ts';
import { coEvent, pressMention, work } from './lists.ts';
import type { SourceRow } from './rows.ts';

/** A change as a producer's connector writes it to Kafka. */
export interface ChangeEvent {
  readonly source: Source;
  readonly key: string;
  readonly value: string;
}

/** A source's rows by number, and the column that an update changes. */
const streams: readonly { make: (seed: number, number: number) => SourceRow; changing: string }[] = [
  { make: rowMaker((artist, random) => coEvent(artist, 0, random)), changing: 'co_event_count' },
  { make: rowMaker((artist, random) => pressMention(artist, 0, random)), changing: 'title' },
  { make: rowMaker((artist, random) => work(artist, 0, random)), changing: 'owner_reach' },
  { make: rowMaker(momentum), changing: 'events_recent' },
];

function rowMaker(make: typeof momentum): (seed: number, number: number) => SourceRow {
  return (seed, number) => {
    const { artist, random } = artistOf(seed, number);
    return make(artist, random);
  };
}

/** Tables that `generateEvents` writes to, one topic each. */
export const eventTables: readonly string[] = streams.map(({ make }) => make(0, 0).source.table);

/** Log positions from here on are newer than any snapshot. */
const FIRST_POSITION = 1_000_000_000;
const FIRST_TIME_MS = Date.UTC(2019, 5, 30);

/**
 * Changes of four sources by turns: the first half creates rows, the second updates each of them once. The same
 * seed and count give the same bytes.
 */
export function* generateEvents(seed: number, count: number): Generator<ChangeEvent> {
  const created = Math.ceil(count / 2);
  for (let number = 0; number < count; number++) {
    const isUpdate = number >= created;
    const subject = isUpdate ? number - created : number;
    const { make, changing } = streams[subject % streams.length] as (typeof streams)[number];
    const given = make(seed, Math.floor(subject / streams.length));
    const row = isUpdate ? { ...given, row: changed(given.row, changing) } : given;
    yield changeEvent(row, isUpdate ? 'u' : 'c', number);
  }
}

function changed(row: SourceRow['row'], column: string): SourceRow['row'] {
  const value = row[column];
  return { ...row, [column]: typeof value === 'number' ? value + 1 : `${value}, revised` };
}

/** @param number place of the change in the producer's log, and how many milliseconds after the first it was made */
export function changeEvent({ source, row }: SourceRow, op: 'c' | 'u', number: number): ChangeEvent {
  const [schema, table] = source.table.split('.');
  const position = FIRST_POSITION + number * 64;
  const timeMs = FIRST_TIME_MS + number;
  const origin = {
    version: '3.0.8.Final',
    connector: 'postgresql',
    name: 'producers',
    ts_ms: timeMs,
    snapshot: 'false',
    db: 'signals',
    sequence: `["${position - 64}","${position}"]`,
    ts_us: timeMs * 1_000,
    ts_ns: timeMs * 1_000_000,
    schema,
    table,
    txId: 5_000 + number,
    lsn: position,
    xmin: null,
  };
  const readAt = { ts_ms: timeMs + 40, ts_us: (timeMs + 40) * 1_000, ts_ns: (timeMs + 40) * 1_000_000 };
  return {
    source,
    key: JSON.stringify(Object.fromEntries(source.key.map((column) => [column, row[column]]))),
    value: JSON.stringify({ before: null, after: row, source: origin, transaction: null, op, ...readAt }),
  };
}
