import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

export interface ExpectedTables {
  /** Final number of rows of each table. */
  readonly row_counts: Readonly<Record<string, number>>;
  /** Digest of each table's rows: compact JSON of the contract's columns, by key, each ended by a line feed. */
  readonly sha256: Readonly<Record<string, string>>;
}

const read = (path: string): string => gunzipSync(readFileSync(new URL(path, import.meta.url))).toString();
const lines = (path: string): string[] => read(path).split('\n').filter(Boolean);

/** The lines of the bundled sample's file of a table. */
export const sampleLines = (table: string): string[] => lines(`../../../infra/sample/${table}.ndjson.gz`);

export const changeLines = (): string[] => lines('../../data/changes/changes.ndjson.gz');

export const brokenLines = (): string[] => lines('../../data/changes/broken.ndjson.gz');

export const expectedTables = (): ExpectedTables => JSON.parse(read('../../data/changes/expected.json.gz'));
