import { expect, it } from 'vitest';
import { withDatabase } from '../test/support/services/database.ts';
import { byteaArray, int2Array, int4Array, int8Array, textArray, timestamptzArray } from './arrays.ts';

const { pool } = withDatabase();

/** The elements as PostgreSQL read them, in its own text form. */
async function received(type: string, array: Buffer): Promise<(string | null)[]> {
  const { rows } = await pool.query({
    text: `select value::text from unnest($1::${type}[]) with ordinality as t (value, position) order by position`,
    values: [array],
    rowMode: 'array',
  });
  return rows.flat();
}

it('carries text: empty, accents, CJK, emoji, quotes, braces, control characters, NULL as a word', async () => {
  const values = [
    '',
    null,
    'Björk',
    '坂本龍一',
    '🎛️👩‍🎤',
    `"{a,b}" 'c' \\`,
    'NULL',
    '\n\t\u0001',
    'x'.repeat(20_000),
  ];
  expect(await received('text', textArray(values))).toEqual(values);
});

it('carries a lone surrogate as the replacement character', async () => {
  expect(await received('text', textArray(['a\ud800b']))).toEqual(['a\ufffdb']);
});

it('carries integers of two, four and eight bytes up to their limits', async () => {
  const text = (values: (number | null)[]) => values.map((value) => value?.toString() ?? null);
  const small = [0, -1, null, 32_767, -32_768];
  const middle = [0, -1, null, 2 ** 31 - 1, -(2 ** 31)];
  const large = [0, -1, null, 2 ** 32, 2 ** 32 + 1, -(2 ** 32), -(2 ** 32) - 1, 2 ** 53 - 1, -(2 ** 53) + 1];
  expect(await received('int2', int2Array(small))).toEqual(text(small));
  expect(await received('int4', int4Array(middle))).toEqual(text(middle));
  expect(await received('int8', int8Array(large))).toEqual(text(large));
});

it('carries booleans', async () => {});

it('carries instants to the millisecond, before 1970 and 2000 too', async () => {
  const instants = ['2026-03-01T12:34:56.789Z', '1999-12-31T23:59:59.999Z', '1887-05-04T00:00:00.001Z'];
  const array = timestamptzArray([...instants.map((instant) => Date.parse(instant)), null]);
  const { rows } = await pool.query<{ value: Date | null }>('select unnest($1::timestamptz[]) as value', [
    array,
  ]);
  expect(rows.map(({ value }) => value?.toISOString() ?? null)).toEqual([...instants, null]);
});

it('carries bytes, none and all of them', async () => {
  const values = [Buffer.alloc(0), Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))];
  expect(await received('bytea', byteaArray(values))).toEqual(
    values.map((value) => `\\x${value.toString('hex')}`),
  );
  expect(await received('bytea', byteaArray([]))).toEqual([]);
});

it.each([
  ['text', textArray],
  ['int2', int2Array],
  ['int4', int4Array],
  ['int8', int8Array],
  ['timestamptz', timestamptzArray],
  ['bytea', byteaArray],
] as const)('carries an empty array of %s and one of nulls only', async (type, encode) => {
  expect(await received(type, encode([]))).toEqual([]);
  expect(await received(type, encode([null, null]))).toEqual([null, null]);
});
