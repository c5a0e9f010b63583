import { readdirSync } from 'node:fs';
import { sourceByTable } from '../../../projections/contracts/index.ts';
import { sampleLines } from '../../support/ingest/change-data.ts';
import { type ChangeEvent, changeEvent } from './events.ts';

/** The tables of the bundled sample. */
export const sampleTables = (): string[] =>
  readdirSync(new URL('../../../infra/sample/', import.meta.url))
    .map((file) => file.replace(/\.ndjson\.gz$/, ''))
    .filter((table) => sourceByTable.has(table));

/** The creation of every row of the bundled sample. */
export const sampleEvents = (): ChangeEvent[] => {
  let position = 0;
  return sampleTables().flatMap((table) => {
    const source = sourceByTable.get(table);
    if (source === undefined) return [];
    return sampleLines(table).map((line) => changeEvent({ source, row: JSON.parse(line) }, 'c', position++));
  });
};
