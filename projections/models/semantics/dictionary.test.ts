import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { columnShape } from '../../contracts/columns.ts';
import { surfaceByName } from '../../contracts/surfaces.ts';
import {
  compileDictionary,
  DICTIONARY_FILE,
  type Dictionary,
  dictionaryPath,
  readDictionary,
  SCHEMA_VERSION,
} from './dictionary.ts';
import { describedSurfaces } from './index.ts';
import { dictionaryMarkdown } from './markdown.ts';

const PUBLISHED_FILE = new URL('./published.json', import.meta.url);

/** Names that clients may rely on. Nothing ever leaves this list within a schema version. */
interface Published {
  readonly schema_version: number;
  readonly fields: readonly string[];
  readonly entries: readonly string[];
}

const isUpdate = process.env.UPDATE_DICTIONARY === '1';
const write = (file: URL, content: object): void =>
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
const today = (): string => new Date().toISOString().slice(0, 10);
const compiled = compileDictionary();

function readOld<T>(file: URL): T | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

describe('the compiled dictionary', () => {
  it('matches its sources; UPDATE_DICTIONARY=1 compiles it again', () => {
    if (isUpdate) {
      const old = readOld<Dictionary>(DICTIONARY_FILE);
      const vendored_at = old?.source_sha === compiled.source_sha ? old.vendored_at : today();
      const { entries, ...head } = compiled;
      write(DICTIONARY_FILE, { ...head, vendored_at, entries });
    }
    const { vendored_at, ...kept } = readDictionary();
    expect(kept).toEqual(compiled);
    expect(Object.keys(kept.entries)).toEqual(Object.keys(compiled.entries));
    expect(vendored_at).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(vendored_at <= today()).toBe(true);
  });

  it('changes its hash and that of the entry with a text', () => {
    const shas = Object.values(compiled.entries).map(({ source_sha }) => source_sha);
    for (const sha of [compiled.source_sha, ...shas]) expect(sha).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set(shas).size).toBe(shas.length);
  });

  it('only ever grows; UPDATE_DICTIONARY=1 adds what is new', () => {
    const old = readOld<Published>(PUBLISHED_FILE);
    const entries = Object.keys(compiled.entries);
    const fields = Object.keys(Object.values(compiled.entries)[0] ?? {});
    if (isUpdate) {
      write(PUBLISHED_FILE, {
        schema_version: SCHEMA_VERSION,
        fields: [...new Set([...(old?.fields ?? []), ...fields])],
        entries: [...new Set([...(old?.entries ?? []), ...entries])].sort(),
      });
    }
    const published = readOld<Published>(PUBLISHED_FILE);
    expect(published?.schema_version).toBe(SCHEMA_VERSION);
    expect(published?.entries).toEqual(entries.toSorted());
    for (const [name, entry] of Object.entries(compiled.entries))
      expect(Object.keys(entry), name).toEqual(published?.fields);
  });
});

describe('a description', () => {
  const said = Object.entries(compiled.entries).map(([name, entry]) => ({
    name,
    entry,
    texts: [entry.audience_blurb, ...entry.scale_bands, entry.honest_limits ?? '', ...entry.caveats],
  }));

  it.each(said)(
    'of $name consists of whole sentences, without formulas and magnitudes',
    ({ entry, texts }) => {
      for (const text of texts.map((one) => one.replace(/^pe-norm-v1-\w+/, ''))) {
        expect(text).not.toMatch(/\d/);
        expect(text).not.toMatch(/[=<>*^×÷√%]|\b(?:ln|log|sqrt|exp|sum)\b/);
      }
      for (const sentence of [entry.audience_blurb, entry.honest_limits ?? 'None.', ...entry.caveats])
        expect(sentence).toMatch(/^\S.*\.$/);
      expect(entry.as_of).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    },
  );

  it('of a surface explains every value of its closed lists', () => {
    for (const { source, semantics } of describedSurfaces) {
      for (const [name, column] of Object.entries(source.columns)) {
        for (const value of columnShape(column).values ?? []) {
          const bands = semantics.scale_bands.filter((band) => band.startsWith(`${name} `));
          expect(bands.join('\n'), `${source.table} ${name}`).toMatch(new RegExp(`\\b${value}\\b`));
        }
      }
    }
  });

  it('exists once per surface', () => {
    const tables = describedSurfaces.map(({ source }) => source.table);
    expect(new Set(tables).size).toBe(tables.length);
    expect(tables.filter((table) => !surfaceByName.has(table))).toEqual([]);
    expect(dictionaryPath('seen.artist_momentum')).toBe(
      '/api/v2/semantics/dictionary.json#/entries/seen.artist_momentum',
    );
    expect(dictionaryPath('seen.artist_dossier')).toBe('/api/v2/semantics/dictionary.json');
  });
});

it('is readable as one text with a heading for each entry', () => {
  const body = dictionaryMarkdown(compiled);
  const headings = [...body.matchAll(/^### (.+)$/gm)].map(([, name]) => name);
  expect(headings.toSorted()).toEqual(Object.keys(compiled.entries).sort());
  expect(body).toContain('\n### rules.k_anonymity\n\nWhich counts are held back');
  expect(body).toContain(
    '\n- emergence_tier rising: clearly more bookings than usual\n- emergence_tier climbing:',
  );
  expect(body).toMatch(/^# Semantics dictionary\n\n## For all surfaces\n/);
  expect(body.match(/^## .+$/gm)).toEqual([
    '## For all surfaces',
    '## seen',
    '## archive',
    '## mirror',
    '## fleet',
    '## sync',
  ]);
});
