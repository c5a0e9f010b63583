import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { processorTime, serverProcessorTime } from '../processes/resources.ts';

const LOOK_EVERY_MS = 200;
const STALLED_MS = 60_000;

/** Seconds of processor time to 100,000 records. */
export interface ProcessorTimes {
  readonly reader: number;
  readonly postgres: number;
  readonly kafka: number;
}

/** What it took to store records, from the first that was seen to the last. */
export interface StoredRecords {
  readonly perSecond: number;
  /** Null if the system does not report it, or a part runs elsewhere. */
  readonly processor: ProcessorTimes | null;
}

interface Observed {
  /** The database that is filled. */
  readonly url: string;
  readonly total: number;
  readonly readerPid: number;
  readonly kafkaPid: number | null;
  /** How many records are stored. */
  readonly count: (client: Client) => Promise<number>;
}

/** Follows records into a database until all are stored. @throws Error when none is stored for a minute */
export async function observe(observed: Observed): Promise<StoredRecords> {
  const { url, total, count } = observed;
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const session = await sessionPid(client);
    let first: Reading | null = null;
    let stored = 0;
    for (let progressAt = performance.now(); ; await pause(LOOK_EVERY_MS)) {
      const now = await count(client);
      if (now > stored) progressAt = performance.now();
      else if (performance.now() - progressAt > STALLED_MS)
        throw new Error(`${stored} of ${total} records are stored, and no more within a minute`);
      stored = now;
      if (stored === 0) continue;
      first ??= read(observed, session, stored);
      if (stored >= total) return between(first, read(observed, session, stored));
    }
  } finally {
    await client.end();
  }
}

async function sessionPid(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? 0;
}

interface Reading {
  readonly atMs: number;
  readonly stored: number;
  readonly spentMs: ProcessorTimes | null;
}

/** @param session of the observer, whose own work does not count */
function read({ readerPid, kafkaPid }: Observed, session: number, stored: number): Reading {
  const reader = processorTime(readerPid);
  const postgres = serverProcessorTime(session);
  const kafka = kafkaPid === null ? null : processorTime(kafkaPid);
  const isKnown = reader !== null && postgres !== null && kafka !== null;
  return { atMs: performance.now(), stored, spentMs: isKnown ? { reader, postgres, kafka } : null };
}

function between(first: Reading, last: Reading): StoredRecords {
  const records = last.stored - first.stored;
  const perSecond = records / ((last.atMs - first.atMs) / 1_000);
  const [before, after] = [first.spentMs, last.spentMs];
  if (before === null || after === null) return { perSecond, processor: null };
  const spent = (part: keyof ProcessorTimes) => ((after[part] - before[part]) * 100) / records;
  return {
    perSecond,
    processor: { reader: spent('reader'), postgres: spent('postgres'), kafka: spent('kafka') },
  };
}
