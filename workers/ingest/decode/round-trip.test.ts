import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ColumnShape, columnShape, type Encoding } from '../../../projections/contracts/columns.ts';
import { sources } from '../../../projections/contracts/index.ts';
import { jsonText } from './json.ts';
import { decoderOf } from './row-decoder.ts';
import { daysOf } from './values/date.ts';

/** A canonical value, and the same as a message may carry it. */
interface Pair {
  readonly canonical: unknown;
  readonly wire: unknown;
}

const same = (value: unknown): Pair => ({ canonical: value, wire: value });

/** A canonical value with one of its encodings, picked at random. */
function encoded(
  canonical: fc.Arbitrary<unknown>,
  ...encodings: ((value: never) => unknown)[]
): fc.Arbitrary<Pair> {
  return fc
    .tuple(
      canonical,
      fc.constantFrom((value: unknown) => value, ...(encodings as ((value: unknown) => unknown)[])),
    )
    .map(([value, encode]) => ({ canonical: value, wire: encode(value) }));
}

const hexText = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => Buffer.from(bytes).toString('hex'));
const dayText = fc
  .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((day) => day.toISOString().slice(0, 10));
/** From the year in which counts of microseconds stop looking like milliseconds. */
const instantText = fc
  .date({ min: new Date('1979-01-01'), max: new Date('2200-12-31'), noInvalidDate: true })
  .map((instant) => `${instant.toISOString().slice(0, 19)}Z`);
const ms = (instant: string): number => Date.parse(instant);
const storable = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((text) => !text.includes('\u0000'));
const plainNumber = fc
  .double({ noNaN: true, min: -1e15, max: 1e15 })
  .map((value) => (value === 0 ? 0 : value));
const document = fc
  .oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()))
  .map((value) => JSON.parse(JSON.stringify(value)));

const PAIRS: Readonly<Record<Encoding, fc.Arbitrary<Pair>>> = {
  hex: encoded(
    hexText,
    (id: string) => id.toUpperCase(),
    (id: string) => `\\x${id}`,
    (id: string) => Buffer.from(id, 'hex').toString('base64'),
  ),
  text: encoded(storable),
  int: encoded(
    fc.maxSafeInteger().map((value) => (value === 0 ? 0 : value)),
    String,
    BigInt,
    (value: number) => `${value}.00`,
  ),
  num: encoded(plainNumber, String),
  bool: encoded(fc.boolean()),
  date: encoded(dayText, daysOf, (day: string) => `${day}Z`),
  partial_date: encoded(
    fc.oneof(
      dayText,
      dayText.map((day) => day.slice(0, 7)),
      dayText.map((day) => day.slice(0, 4)),
    ),
  ),
  ts: encoded(
    instantText,
    (instant: string) => ms(instant) * 1_000 + 999_999,
    (instant: string) => BigInt(ms(instant)) * 1_000n + 999_999n,
    (instant: string) => new Date(ms(instant) + 7_200_000).toISOString().replace('.000Z', '.25+02:00'),
  ),
  uuid: encoded(fc.uuid(), (id: string) => id.toUpperCase()),
  json: encoded(
    document,
    (value: unknown) => JSON.stringify(value),
    (value: unknown) => JSON.stringify(value, null, 1),
  ),
};

function columnPair({ encoding, values, isList, isNullable }: ColumnShape): fc.Arbitrary<Pair> {
  const value = values === null ? PAIRS[encoding] : fc.constantFrom(...values).map(same);
  const present = isList
    ? fc.array(value, { maxLength: 4 }).map((items) => ({
        canonical: items.map(({ canonical }) => canonical),
        wire: items.map(({ wire }) => wire),
      }))
    : value;
  return isNullable
    ? fc.oneof(present, fc.constant(same(null)), fc.constant({ canonical: null, wire: undefined }))
    : present;
}

describe.each(sources)('rows of $table', (source) => {
  it('decode to the same canonical text, however they are encoded', () => {
    const row = fc.record(
      Object.fromEntries(
        Object.entries(source.columns).map(([name, column]) => [name, columnPair(columnShape(column))]),
      ),
    );
    const decoder = decoderOf(source);
    fc.assert(
      fc.property(row, (pairs) => {
        const members = Object.entries(pairs);
        const canonical =
          jsonText(Object.fromEntries(members.map(([name, pair]) => [name, pair.canonical]))) ?? '';
        const wire = Object.fromEntries(
          members.flatMap(([name, pair]) => (pair.wire === undefined ? [] : [[name, pair.wire]])),
        );
        const decoded = decoder.decodeRow(wire);
        expect(decoded).toMatchObject({ violations: null, row: canonical, unavailable: [] });
        expect(decoder.decodeRow(decoder.parse(canonical) as Record<string, unknown>)).toEqual(decoded);
      }),
      { numRuns: 30 },
    );
  });
});
