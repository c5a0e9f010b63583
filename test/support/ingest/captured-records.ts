import { readFileSync } from 'node:fs';
import type { IncomingRecord } from '../../../workers/ingest/decode/envelope.ts';

/** The records of a real connector, in the order of its topics; see test/data/connectors/README.md. */
export function capturedRecords(connector: 'mariadb' | 'mysql' | 'mongodb'): IncomingRecord[] {
  const file = new URL(`../../data/connectors/${connector}.ndjson`, import.meta.url);
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const { topic, offset, key, value } = JSON.parse(line);
      const timestamp = FIRST_MS + offset;
      return { topic, key, value, headers: {}, offset, timestamp, readFrom: { topic, partition: 0 } };
    });
}

const FIRST_MS = Date.UTC(2026, 10, 24);
