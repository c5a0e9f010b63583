import { describe, expect, it } from 'vitest';
import { catalogMaster } from '../../../projections/contracts/catalog/master.ts';
import { type ColumnShape, columnShape, type Encoding } from '../../../projections/contracts/columns.ts';
import type { Source } from '../../../projections/contracts/contract.ts';
import { sources } from '../../../projections/contracts/index.ts';
import { artistMomentum } from '../../../projections/contracts/seen/artist-momentum.ts';
import { radioPlayV1 } from '../../../projections/contracts/seen/radio-play-v1.ts';
import { rowsOf } from '../../../test/support/rows/source-rows.ts';
import { type Decoded, decodeRecord, type IncomingRecord } from './envelope.ts';
import { decoderOf } from './row-decoder.ts';

const TIME = 1_788_260_008_180;
const context = { prefix: 'producers', epoch: () => 0 };

/** Bodies are given as JSON text, so that numbers stand in them as a connector writes them. */
function decode(source: Source, value: string | null, key: string | null = null, timestamp = TIME): Decoded {
  const topic = `producers.${source.table}`;
  const record: IncomingRecord = { topic, key, value, headers: {}, offset: 0, timestamp };
  return decodeRecord(record, context);
}

const rowText = (source: Source, columns: object = {}): string =>
  JSON.stringify({ ...rowsOf(source, {}).rows[0], ...columns });

const envelope = (after: string, change: object = {}): string =>
  JSON.stringify({
    op: 'u',
    before: null,
    source: { ts_ms: TIME, lsn: 7, sequence: null },
    ...change,
  }).replace(/\}$/, `,"after":${after}}`);

function rowOf(decoded: Decoded): Record<string, unknown> {
  if (decoded.kind !== 'upsert') throw new Error(JSON.stringify(decoded));
  return JSON.parse(decoded.row);
}

const field = (name: string, type: string, schema: object = {}) => ({
  field: name,
  type,
  optional: true,
  ...schema,
});

/** The envelope of a row with the schema that the converter writes before it. */
function withSchema(fields: readonly object[], body: string): string {
  const struct = (name: string) => ({ type: 'struct', field: name, optional: true, fields });
  const schema = { type: 'struct', name: 'Envelope', fields: [struct('before'), struct('after')] };
  return `{"schema":${JSON.stringify(schema)},"payload":${body}}`;
}

describe('numbers as connectors write them', () => {
  it('keep 64 bits', () => {
    const text = rowText(catalogMaster, { release_count: 0, catalog_artist_ids: [] })
      .replace('"release_count":0', '"release_count":9223372036854775807')
      .replace('"catalog_artist_ids":[]', '"catalog_artist_ids":[-9223372036854775808,9007199254740993]');
    const decoded = decode(catalogMaster, envelope(text));
    expect(decoded.kind === 'upsert' && decoded.row).toContain(
      '"catalog_artist_ids":[-9223372036854775808,9007199254740993]',
    );
    expect(decoded.kind === 'upsert' && decoded.row).toContain('"release_count":9223372036854775807');
  });

  it('are decimals with the scale of the schema, or with their own', () => {
    const fields = [
      field('emergence_score', 'bytes', {
        name: 'org.apache.kafka.connect.data.Decimal',
        parameters: { scale: '2', 'connect.decimal.precision': '8' },
      }),
      field('momentum_score', 'struct', { name: 'io.debezium.data.VariableScaleDecimal' }),
      field('events_recent', 'bytes', {
        name: 'org.apache.kafka.connect.data.Decimal',
        parameters: { scale: '0' },
      }),
    ];
    const text = rowText(artistMomentum, {
      emergence_score: 'EHo=',
      momentum_score: { scale: 3, value: 'EHo=' },
      establishment_delta: '-0.2500',
      events_recent: 'f/////////8=',
    });
    const decoded = decode(artistMomentum, withSchema(fields, envelope(text)));
    expect(rowOf(decoded)).toMatchObject({
      emergence_score: 42.18,
      momentum_score: 4.218,
      establishment_delta: -0.25,
    });
    expect(decoded.kind === 'upsert' && decoded.row).toContain('"events_recent":9223372036854775807');
  });
});

describe('days and instants as connectors write them', () => {
  const PLAYED = '2018-02-10T21:13:00Z';

  it.each([
    ['adaptive', 'int64', 'io.debezium.time.MicroTimestamp', '1518297180000000'],
    ['adaptive, of nanoseconds', 'int64', 'io.debezium.time.NanoTimestamp', '1518297180000000123'],
    ['connect', 'int64', 'org.apache.kafka.connect.data.Timestamp', '1518297180000'],
    ['with a zone', 'string', 'io.debezium.time.ZonedTimestamp', '"2018-02-10T21:13:00.250000Z"'],
    ['ISO text', 'string', 'io.debezium.time.IsoTimestamp', '"2018-02-10T21:13:00Z"'],
  ])('%s', (_, type, name, value) => {
    const text = rowText(radioPlayV1, { played_at: 0 }).replace('"played_at":0', `"played_at":${value}`);
    const fields = [field('played_at', type, { name, version: 1 })];
    expect(rowOf(decode(radioPlayV1, withSchema(fields, envelope(text))))).toMatchObject({
      played_at: PLAYED,
    });
  });

  it.each(['1518297180000000', '"2018-02-10T21:13:00.250000Z"', '"2018-02-10T21:13:00Z"'])(
    '%s needs no schema: text states itself, and microseconds are the default',
    (value) => {
      const text = rowText(radioPlayV1, { played_at: 0 }).replace('"played_at":0', `"played_at":${value}`);
      expect(rowOf(decode(radioPlayV1, envelope(text)))).toMatchObject({ played_at: PLAYED });
    },
  );

  it.each([
    ['connect', '1518297180000'],
    ['nanoseconds', '1518297180000000123'],
  ] as const)('counts without a schema need the %s of the connector in the contract', (mode, value) => {
    const text = rowText(radioPlayV1, { played_at: 0 }).replace('"played_at":0', `"played_at":${value}`);
    const row = decoderOf(radioPlayV1).parse(text) as Record<string, unknown>;
    expect(decoderOf(radioPlayV1).decodeRow(row).violations).toEqual([
      { field: 'played_at', reason: mode === 'connect' ? 'unit_not_stated' : 'implausible_us' },
    ]);
    const stated = decoderOf({ ...radioPlayV1, timePrecisionMode: mode }).decodeRow(row);
    expect(stated).toMatchObject({ row: expect.stringContaining(`"played_at":"${PLAYED}"`) });
  });

  it.each(['17572', '"2018-02-10"', '"2018-02-10Z"'])('a day: %s', (value) => {
    const text = rowText(artistMomentum, { as_of: 0 }).replace('"as_of":0', `"as_of":${value}`);
    expect(rowOf(decode(artistMomentum, envelope(text)))).toMatchObject({ as_of: '2018-02-10' });
  });

  it.each(['9223372036825200000', '-9223372036832400000', '"infinity"', '"-infinity"'])(
    'reject %s, which is not an instant',
    (value) => {
      const text = rowText(radioPlayV1, { played_at: 0 }).replace('"played_at":0', `"played_at":${value}`);
      const violations = [{ field: 'played_at', reason: 'infinite' }];
      expect(decode(radioPlayV1, envelope(text))).toMatchObject({ kind: 'rejected', violations });
    },
  );

  it.each(['2147483647', '-2147483648', '106751991167', '"infinity"'])(
    'reject %s, which is no finite day',
    (value) => {
      const text = rowText(artistMomentum, { as_of: 0 }).replace('"as_of":0', `"as_of":${value}`);
      const violations = [{ field: 'as_of', reason: 'infinite' }];
      expect(decode(artistMomentum, envelope(text))).toMatchObject({ kind: 'rejected', violations });
    },
  );
});

describe('a value that was not sent because it did not change', () => {
  const PLACEHOLDER = '__debezium_unavailable_value';
  const BASE64 = Buffer.from(PLACEHOLDER).toString('base64');
  const SCALAR = [PLACEHOLDER, BASE64];

  /** Every form that a column of the type may have. */
  const FORMS: Readonly<Record<Encoding, readonly unknown[]>> = {
    hex: SCALAR,
    text: [PLACEHOLDER],
    int: SCALAR,
    num: SCALAR,
    bool: SCALAR,
    date: SCALAR,
    partial_date: SCALAR,
    ts: SCALAR,
    uuid: SCALAR,
    json: [PLACEHOLDER, JSON.stringify(PLACEHOLDER), BASE64, { [PLACEHOLDER]: PLACEHOLDER }],
  };

  const formsOf = ({ encoding, isList }: ColumnShape): readonly unknown[] => {
    if (!isList) return FORMS[encoding];
    const codes = [...PLACEHOLDER].map((letter) => letter.charCodeAt(0));
    return encoding === 'int' ? [[PLACEHOLDER], codes] : [[PLACEHOLDER]];
  };

  it.each(sources)('is recognized in every column of $table', (source) => {
    for (const [name, column] of Object.entries(source.columns)) {
      if (source.key.includes(name)) continue;
      for (const form of formsOf(columnShape(column))) {
        const decoded = decode(source, envelope(rowText(source, { [name]: form })));
        expect(decoded, `${name} ${JSON.stringify(form)}`).toMatchObject({
          kind: 'upsert',
          unavailable: [name],
        });
      }
    }
  });

  it('is recognized in an unknown column', () => {
    for (const form of [PLACEHOLDER, [PLACEHOLDER], BASE64])
      expect(decode(radioPlayV1, envelope(rowText(radioPlayV1, { more: form })))).toMatchObject({
        unavailable: ['more'],
      });
  });
});

describe('keys', () => {
  const key = JSON.stringify({ play_id: 'p1' });
  const wrapped = `{"schema":{"type":"struct","fields":[{"type":"string","field":"play_id"}]},"payload":${key}}`;
  const removal = { kind: 'delete', key: 'p1' };
  const gone = (before: unknown) => envelope('null', { op: 'd', before });

  it('are wrapped or plain', () => {
    for (const text of [key, wrapped]) {
      expect(decode(radioPlayV1, gone(null), text)).toMatchObject(removal);
      expect(decode(radioPlayV1, null, text)).toMatchObject({
        kind: 'tombstone',
        key: 'p1',
        timestamp: TIME,
      });
    }
  });

  it('come from the row before, complete or partial, if the message has no readable key', () => {
    for (const text of [null, 'Struct{play_id=p1}', '"p1"', '{}', '\u0000\u0000'])
      for (const before of [{ play_id: 'p1' }, JSON.parse(rowText(radioPlayV1, { play_id: 'p1' }))])
        expect(decode(radioPlayV1, gone(before), text)).toMatchObject(removal);
    const columns = { play_id: 'p1', station: null, title: null, played_at: 0, cluster_id: '' };
    expect(decode(radioPlayV1, gone(columns))).toMatchObject(removal);
  });

  it('that cannot be read are rejected', () => {
    const violations = [{ field: 'key', reason: 'missing' }];
    for (const value of [gone(null), gone({ station: 'bbc' }), null])
      expect(decode(radioPlayV1, value, 'Struct{play_id=p1}')).toMatchObject({
        kind: 'rejected',
        violations,
      });
  });
});

describe('missing times', () => {
  it('are taken from the readable parts', () => {
    const text = rowText(radioPlayV1);
    const unstated = { source: { ts_ms: 0, lsn: 7 }, ts_ms: TIME + 5 };
    expect(decode(radioPlayV1, envelope(text, unstated))).toMatchObject({ sourceTimeMs: TIME + 5 });
    const silent = { source: { ts_ms: null, lsn: 7 }, ts_ms: null };
    expect(decode(radioPlayV1, envelope(text, silent))).toMatchObject({ sourceTimeMs: TIME });
    expect(decode(radioPlayV1, envelope(text, silent), null, -1)).toMatchObject({
      kind: 'rejected',
      violations: [{ field: 'source', reason: 'not_an_envelope' }],
    });
  });

  it('leave a tombstone without a time', () => {
    const key = JSON.stringify({ play_id: 'p1' });
    expect(decode(radioPlayV1, null, key, -1)).toMatchObject({ kind: 'tombstone', timestamp: null });
  });
});
