import { readFileSync } from 'node:fs';
import type { TSchema } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import {
  bool,
  columnShape,
  date,
  hex,
  int,
  json,
  list,
  num,
  partialDate,
  text,
  ts,
  uuid,
} from '../../projections/contracts/columns.ts';
import { columnDecoder } from '../../workers/ingest/decode/column-decoder.ts';
import { parseJson } from '../../workers/ingest/decode/json.ts';

const textOf = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const guide = textOf('connectors.md');

it('the guide shows the settings that the tests use', () => {
  const [, shown = ''] = /```json\n(.*?)```/s.exec(guide) ?? [];
  expect(JSON.parse(shown)).toEqual(JSON.parse(textOf('examples/connectors/postgresql.json')));
});

const CONTRACTS: Readonly<Record<string, TSchema>> = {
  'hex()': hex(),
  'text()': text(),
  'int()': int(),
  'num()': num(),
  'bool()': bool(),
  'date()': date(),
  'partialDate()': partialDate(),
  'ts()': ts(),
  'uuid()': uuid(),
  'json()': json(),
  'list(int())': list(int()),
  'list(num())': list(num()),
  'list(text())': list(text()),
  'list(hex())': list(hex()),
  'list(date())': list(date()),
};

interface TypeRow {
  readonly contract: string;
  readonly works: readonly string[];
  readonly refused: readonly string[];
}

const namesIn = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

const [, section = ''] = guide.split('### PostgreSQL types');
const rows = (section.split('\n## ')[0] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line): TypeRow => {
    const [, contract, works, refused] = line.split(' | ').flatMap((cell) => cell.split(/^\| | \|$/));
    return { contract: namesIn(contract)[0] ?? '', works: namesIn(works), refused: namesIn(refused) };
  });

/** The values that the PostgreSQL connector sent, by type. */
const sent = Map.groupBy(
  textOf('../../test/data/connectors/postgresql-types.ndjson')
    .trimEnd()
    .split('\n')
    .map((line) => parseJson(line) as { readonly type: string; readonly value: unknown }),
  ({ type }) => type,
);

describe('the PostgreSQL types of the guide', () => {
  it('cover every type of a column', () =>
    expect(rows.map(({ contract }) => contract)).toEqual(Object.keys(CONTRACTS)));

  it.each(rows)('work, or are refused, for $contract', ({ contract, works, refused }) => {
    const decode = columnDecoder(columnShape(CONTRACTS[contract] as TSchema), null, null);
    const outcomes = (types: readonly string[]) =>
      types.map((type) => {
        const values = sent.get(type);
        if (values === undefined) throw new Error(`no value of the type ${type} was captured`);
        const isAccepted = values.some(({ value }) => typeof decode(value) === 'string');
        return `${type} ${isAccepted ? 'works' : 'is refused'}`;
      });
    expect(works).not.toEqual([]);
    expect(outcomes(works)).toEqual(works.map((type) => `${type} works`));
    expect(outcomes(refused)).toEqual(refused.map((type) => `${type} is refused`));
  });
});
