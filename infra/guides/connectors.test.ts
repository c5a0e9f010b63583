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

/** The table of types under a heading of the guide. */
function rowsUnder(heading: string): readonly TypeRow[] {
  const [, section = ''] = guide.split(`### ${heading}\n`);
  return (section.split(/\n##/)[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => {
      const [, contract, works, refused] = line.split(' | ').flatMap((cell) => cell.split(/^\| | \|$/));
      return { contract: namesIn(contract)[0] ?? '', works: namesIn(works), refused: namesIn(refused) };
    });
}

/** The values that a connector sent, by type. */
const sentBy = (connector: string): ReadonlyMap<string, readonly unknown[]> => {
  const lines = textOf(`../../test/data/connectors/${connector}-types.ndjson`).trimEnd().split('\n');
  const values = lines.map((line) => parseJson(line) as { readonly type: string; readonly value: unknown });
  const byType = Map.groupBy(values, ({ type }) => type);
  return new Map([...byType].map(([type, all]) => [type, all.map(({ value }) => value)]));
};

describe.each([
  ['PostgreSQL types', 'postgresql'],
  ['MySQL and MariaDB types', 'mariadb'],
])('the table of %s', (heading, connector) => {
  const rows = rowsUnder(heading);
  const sent = sentBy(connector);

  it('covers every type of a column', () => {
    const lists = (name: string) => name.startsWith('list(');
    const contracts = rows.map(({ contract }) => contract);
    expect(contracts.filter((name) => !lists(name))).toEqual(
      Object.keys(CONTRACTS).filter((name) => !lists(name)),
    );
    expect(contracts.filter(lists)).not.toEqual([]);
  });

  it.each(rows)('is right about $contract', ({ contract, works, refused }) => {
    const decode = columnDecoder(columnShape(CONTRACTS[contract] as TSchema), null, null);
    const outcomes = (types: readonly string[]) =>
      types.map((type) => {
        const isAccepted = sent.get(type)?.some((value) => typeof decode(value) === 'string');
        return `${type} ${isAccepted === undefined ? 'was not captured' : isAccepted ? 'works' : 'is refused'}`;
      });
    expect(works).not.toEqual([]);
    expect(outcomes(works)).toEqual(works.map((type) => `${type} works`));
    expect(outcomes(refused)).toEqual(refused.map((type) => `${type} is refused`));
  });
});
