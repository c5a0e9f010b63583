import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { to as copyTo } from 'pg-copy-streams';
import { describe, expect, it } from 'vitest';
import { transaction } from '../../../db/transaction.ts';
import { catalogMaster } from '../../../projections/contracts/catalog/master.ts';
import { type ColumnShape, columnShape, type Encoding } from '../../../projections/contracts/columns.ts';
import type { Source } from '../../../projections/contracts/contract.ts';
import { artistIdentityBridge } from '../../../projections/contracts/seen/artist-identity-bridge.ts';
import { artistMomentum } from '../../../projections/contracts/seen/artist-momentum.ts';
import { radioPlayV1 } from '../../../projections/contracts/seen/radio-play-v1.ts';
import { storefrontItem } from '../../../projections/contracts/storefront/item.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import { withFolder } from '../../../test/support/services/folder.ts';
import { decodeSnapshot } from './decode-snapshot.ts';

const { pool } = withDatabase();
const folder = withFolder();

/** The type that a producer would give a column. */
const TYPES: Readonly<Record<Encoding, string>> = {
  hex: 'bytea',
  text: 'text',
  int: 'bigint',
  num: 'double precision',
  bool: 'boolean',
  date: 'date',
  partial_date: 'text',
  ts: 'timestamptz',
  uuid: 'uuid',
  json: 'json',
};

const awkward = fc.constantFrom(
  '"',
  ',',
  '\n',
  '\r\n',
  '{',
  '}',
  '\\',
  ' ',
  'NULL',
  '',
  '[1]',
  't',
  '☃',
  '\u3000',
  '\\.',
);
const text = fc.oneof(
  fc.array(awkward, { maxLength: 5 }).map((parts) => parts.join('')),
  fc.string({ unit: 'grapheme', maxLength: 8 }).filter((value) => !value.includes('\u0000')),
);
const day = fc
  .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

/** Canonical values. */
const VALUES: Readonly<Record<Encoding, fc.Arbitrary<unknown>>> = {
  hex: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex')),
  text,
  int: fc.maxSafeInteger().map((value) => (value === 0 ? 0 : value)),
  num: fc.double({ noNaN: true, min: -1e15, max: 1e15 }).map((value) => (value === 0 ? 0 : value)),
  bool: fc.boolean(),
  date: day,
  partial_date: day.map((value) => value.slice(0, 7)),
  ts: fc
    .date({ min: new Date('1900-01-01'), max: new Date('2200-12-31'), noInvalidDate: true })
    .map((date) => `${date.toISOString().slice(0, 19)}Z`),
  uuid: fc.uuid(),
  json: fc.array(fc.record({ title: text, position: fc.nat() }), { maxLength: 3 }),
};

function arbitraryOf({ encoding, values, isList, isNullable }: ColumnShape): fc.Arbitrary<unknown> {
  const one = values === null ? VALUES[encoding] : fc.constantFrom(...values);
  const present = isList ? fc.array(one, { maxLength: 4 }) : one;
  return isNullable ? fc.oneof(present, fc.constant(null)) : present;
}

const shapesOf = (source: Source): [string, ColumnShape][] =>
  Object.entries(source.columns).map(([name, column]) => [name, columnShape(column)]);

/** The text from which PostgreSQL reads a value. */
const given = (value: unknown, { encoding }: ColumnShape): unknown =>
  encoding === 'hex' && typeof value === 'string' ? `\\x${value}` : value;

/** The rows as `COPY ... TO STDOUT (FORMAT csv, HEADER)` writes them. */
function copied(source: Source, rows: readonly Readonly<Record<string, unknown>>[]): Promise<Buffer> {
  const shapes = shapesOf(source);
  const columns = shapes.map(
    ([name, { encoding, isList }]) => `"${name}" ${TYPES[encoding]}${isList ? '[]' : ''}`,
  );
  const sent = rows.map((row) =>
    Object.fromEntries(shapes.map(([name, shape]) => [name, given(row[name], shape)])),
  );
  return transaction(pool, async (client) => {
    await client.query(`create temporary table producer (${columns.join(', ')}) on commit drop`);
    await client.query('insert into producer select * from json_populate_recordset(null::producer, $1)', [
      JSON.stringify(sent),
    ]);
    return buffer(client.query(copyTo('copy producer to stdout (format csv, header)')));
  });
}

describe.each([artistMomentum, radioPlayV1, artistIdentityBridge, catalogMaster, storefrontItem])(
  'rows of $table',
  (source) => {
    it('survive a CSV file written by PostgreSQL', async () => {
      const row = fc.record(
        Object.fromEntries(shapesOf(source).map(([name, shape]) => [name, arbitraryOf(shape)])),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 20 }), async (rows) => {
          const path = folder.write(`${source.table}.csv`, await copied(source, rows));
          const context = { prefix: '', epoch: () => 0, timeMs: 0 };
          const batches = await Array.fromAsync(
            decodeSnapshot({ path, source }, context, { from: 0, size: 100 }),
          );
          const decoded = batches.flat().map(({ decoded: one }) => (one.kind === 'upsert' ? one.row : one));
          expect(decoded).toEqual(rows.map((one) => JSON.stringify(one)));
        }),
        { numRuns: 20 },
      );
    });
  },
);
