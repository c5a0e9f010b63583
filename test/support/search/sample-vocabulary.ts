import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { Vocabulary } from '../../../services/query/plain-language/interpretation.ts';

const MASTERS = fileURLToPath(new URL('../../../infra/sample/catalog.master.ndjson.gz', import.meta.url));

interface Master {
  readonly genres: readonly string[];
  readonly styles: readonly string[];
  readonly formats: readonly string[];
  readonly country: string | null;
  readonly labels: readonly string[];
}

/** The facet values of the bundled sample, the most frequent first. */
export function sampleVocabulary(): Vocabulary {
  const lines = gunzipSync(readFileSync(MASTERS)).toString().split('\n');
  const masters: Master[] = lines.filter((line) => line !== '').map((line) => JSON.parse(line));
  const labels = byFrequency(masters.flatMap((master) => master.labels));
  const spelt = new Map(labels.toReversed().map((label) => [label.toLowerCase(), label]));
  return {
    genres: byFrequency(masters.flatMap((master) => master.genres)),
    styles: byFrequency(masters.flatMap((master) => master.styles)),
    formats: byFrequency(masters.flatMap((master) => master.formats)),
    countries: byFrequency(masters.flatMap((master) => master.country ?? [])),
    labels: async (name) => spelt.get(name.toLowerCase()) ?? null,
  };
}

function byFrequency(values: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).map(([value]) => value);
}
