import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { sourceByTable } from '../../projections/contracts/index.ts';
import type { ExpectedRow } from '../support/projections/oracle.ts';

const SAMPLE = fileURLToPath(new URL('../../infra/sample/', import.meta.url));
/** When every row changed: the time of loading must not show in any document. */
const CHANGED_AT = Date.UTC(2019, 5, 30, 12);

/** The rows of the bundled sample, table by table. */
export function sampleRows(): ExpectedRow[] {
  return readdirSync(SAMPLE)
    .sort()
    .flatMap((file) => {
      const source = sourceByTable.get(file.replace(/\.ndjson\.gz$/, ''));
      if (source === undefined) return [];
      const lines = gunzipSync(readFileSync(`${SAMPLE}${file}`))
        .toString()
        .trimEnd()
        .split('\n');
      return lines.map((line) => ({ source, row: JSON.parse(line), changedAt: CHANGED_AT }));
    });
}
