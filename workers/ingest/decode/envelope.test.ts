import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sources } from '../../../projections/contracts/index.ts';
import { radioPlayV1 } from '../../../projections/contracts/seen/radio-play-v1.ts';
import { parseChangeLine } from './change-line.ts';
import {
  type Decoded,
  decodeRecord,
  decodeRow,
  decodeSnapshotLine,
  type IncomingRecord,
} from './envelope.ts';
import { removalVersion, snapshotVersion } from './version.ts';

const context = { prefix: 'producers', epoch: () => 2 };
const TOPIC = 'producers.seen.radio_play_v1';
const ID = 'a'.repeat(64);
const TIME = 1_788_260_008_180;

const row = {
  cluster_id: ID,
  play_id: 'aa.bbc.1',
  station: 'bbc',
  country: null,
  title: 'One More Time',
  recording_cluster_id: null,
  dj_name: null,
  played_at: '2018-02-10T21:13:00Z',
};
const origin = { sequence: '["400","500"]', ts_ms: TIME, lsn: 500 };
const VERSION = `00000002${'190'.padStart(16, '0')}${'1f4'.padStart(16, '0')}`;

function record(value: unknown, key: unknown = { play_id: 'aa.bbc.1' }, topic = TOPIC): IncomingRecord {
  const text = (part: unknown) => (part === null ? null : JSON.stringify(part));
  return { topic, key: text(key), value: text(value), headers: {}, offset: 7, timestamp: TIME + 500 };
}

const decode = (...part: Parameters<typeof record>): Decoded => decodeRecord(record(...part), context);
const envelope = (op: unknown, change: object = {}) => ({
  before: null,
  after: row,
  source: origin,
  op,
  ts_ms: TIME + 1,
  ...change,
});

const rejection = (
  field: string,
  reason: string,
  key: string | null = 'aa.bbc.1',
  version: string | null = null,
) => ({
  kind: 'rejected',
  source: radioPlayV1,
  table: 'seen.radio_play_v1',
  key,
  version,
  violations: [{ field, reason }],
});

describe('decodeRecord', () => {
  it.each(['c', 'u', 'r'])('decodes op %s as the row after the change', (op) => {
    expect(decode(envelope(op))).toEqual({
      kind: 'upsert',
      source: radioPlayV1,
      key: 'aa.bbc.1',
      subject: ID,
      links: [],
      orderKey: '7981-97-89T78:86:99Z',
      row: JSON.stringify(row),
      unavailable: [],
      version: `${VERSION}1`,
      sourceTimeMs: TIME,
      form: 'log',
      origin: expect.objectContaining({ lsn: 500 }),
    });
  });

  it('decodes bytes like text', () => {
    const { key, value, ...rest } = record(envelope('c'));
    const bytes = { ...rest, key: Buffer.from(key ?? ''), value: Buffer.from(value ?? '') };
    expect(decodeRecord(bytes, context)).toEqual(decode(envelope('c')));
  });

  it('decodes a delete by its key, or else by the row before', () => {
    const deletion = {
      kind: 'delete',
      source: radioPlayV1,
      key: 'aa.bbc.1',
      subject: null,
      version: `${VERSION}0`,
      sourceTimeMs: TIME,
      form: 'log',
      origin: expect.objectContaining({ lsn: 500 }),
    };
    expect(decode(envelope('d', { after: null }))).toEqual(deletion);
    expect(decode(envelope('d', { after: null, before: row }), null)).toEqual(deletion);
    expect(decode(envelope('d', { after: null, before: { play_id: 'aa.bbc.1' } }), { play_id: 12 })).toEqual(
      deletion,
    );
    expect(decode(envelope('d', { after: null }), null)).toEqual(
      rejection('key', 'missing', null, `${VERSION}0`),
    );
    expect(decode(envelope('d', { after: null }), { play_id: 12 })).toEqual(
      rejection('play_id', 'not_text', null, `${VERSION}0`),
    );
  });

  it('decodes both records of a key change, with any headers', () => {
    const headers = { '__debezium.newkey': '{"play_id":"aa.bbc.1.k"}' };
    const gone = decodeRecord({ ...record(envelope('d', { before: row, after: null })), headers }, context);
    const came = decode(envelope('c', { after: { ...row, play_id: 'aa.bbc.1.k' } }), {
      play_id: 'aa.bbc.1.k',
    });
    expect([gone, came]).toMatchObject([
      { kind: 'delete', key: 'aa.bbc.1', version: `${VERSION}0` },
      { kind: 'upsert', key: 'aa.bbc.1.k', version: `${VERSION}1` },
    ]);
  });

  it('decodes a truncate without a key', () => {
    expect(decode(envelope('t', { after: null }), null)).toEqual({
      kind: 'truncate',
      source: radioPlayV1,
      version: `${VERSION}1`,
      sourceTimeMs: TIME,
      form: 'log',
      origin: expect.objectContaining({ lsn: 500 }),
    });
  });

  it('decodes a tombstone, plain or wrapped', () => {
    const tombstone = {
      kind: 'tombstone',
      source: radioPlayV1,
      key: 'aa.bbc.1',
      timestamp: TIME + 500,
      version: removalVersion(2, TIME + 500),
    };
    expect(decode(null)).toEqual(tombstone);
    expect(decode({ schema: null, payload: null })).toEqual(tombstone);
    expect(decode(null, null)).toEqual(rejection('key', 'missing', null));
  });

  it('orders by time and offset without a log position', () => {
    const version = `00000002${TIME.toString(16).padStart(16, '0')}${'7'.padStart(16, '0')}1`;
    expect(decode(envelope('c', { source: { ts_ms: TIME, sequence: null, lsn: null } }))).toMatchObject({
      version,
    });
  });

  it('reads positions beyond 2^53', () => {
    const text = JSON.stringify(envelope('c'))
      .replace('"lsn":500', '"lsn":9223372036854775807')
      .replace('"[\\"400\\",\\"500\\"]"', 'null');
    const version = `00000002${'7fffffffffffffff'.repeat(2)}1`;
    expect(decodeRecord({ ...record(null), value: text }, context)).toMatchObject({
      kind: 'upsert',
      version,
    });
  });

  it('falls back on the message, then the record, for its time', () => {
    expect(decode(envelope('c', { source: { lsn: 500 } }))).toMatchObject({ sourceTimeMs: TIME + 1 });
    expect(decode(envelope('c', { source: { lsn: 500 }, ts_ms: undefined }))).toMatchObject({
      sourceTimeMs: TIME + 500,
    });
  });

  it.each([
    ['a text', 'not an envelope', 'value', 'not_an_envelope'],
    ['a list', [], 'value', 'not_an_envelope'],
    ['a bare row', row, 'value', 'not_an_envelope'],
    ['no op', envelope(undefined), 'op', 'missing', 'aa.bbc.1', `${VERSION}1`],
    ['an op of its own', envelope('x'), 'op', 'unknown_op', 'aa.bbc.1', `${VERSION}1`],
    ['an op that is no text', envelope(1), 'op', 'unknown_op', 'aa.bbc.1', `${VERSION}1`],
    ['no row', envelope('u', { after: null }), 'after', 'missing', 'aa.bbc.1', `${VERSION}1`],
    ['a list for a row', envelope('c', { after: [1, 2] }), 'after', 'not_a_row', 'aa.bbc.1', `${VERSION}1`],
    ['a text for a row', envelope('c', { after: 'row' }), 'after', 'not_a_row', 'aa.bbc.1', `${VERSION}1`],
    ['no origin', envelope('c', { source: undefined }), 'source', 'not_an_envelope'],
    [
      'a position that is none',
      envelope('c', { source: { ...origin, sequence: 'x' } }),
      'source',
      'not_an_envelope',
    ],
    ['a truncate without origin', envelope('t', { source: null }), 'source', 'not_an_envelope', null],
    ['a deletion without origin', envelope('d', { source: null }), 'source', 'not_an_envelope'],
  ])(
    'rejects %s',
    (_, value, field, reason, key: string | null = 'aa.bbc.1', version: string | null = null) => {
      expect(decode(value)).toEqual(rejection(field, reason, key, version));
    },
  );

  it('rejects a row with all its violations, and its key if it has one', () => {
    const broken = envelope('c', { after: { ...row, title: 12, played_at: {} }, source: null });
    const violations = [
      { field: 'title', reason: 'not_text' },
      { field: 'played_at', reason: 'not_ts' },
      { field: 'source', reason: 'not_an_envelope' },
    ];
    expect(decode(broken)).toEqual({ ...rejection('', ''), violations });
    expect(decode(broken, null)).toMatchObject({ key: 'aa.bbc.1' });
    expect(decode(envelope('c', { after: { ...row, play_id: 12 } }), null)).toEqual(
      rejection('play_id', 'not_text', null, `${VERSION}1`),
    );
  });

  it('rejects bytes that are not UTF-8, and text that is not JSON', () => {
    const bytes = Buffer.from(record(envelope('c')).value ?? '');
    bytes[bytes.indexOf('One')] = 0xff;
    expect(decodeRecord({ ...record(null), value: bytes }, context)).toEqual(
      rejection('value', 'not_an_envelope'),
    );
    for (const value of ['', '{', '{"schema":{'])
      expect(decodeRecord({ ...record(null), value }, context)).toEqual(
        rejection('value', 'not_an_envelope'),
      );
  });

  it.each([
    ['producers.seen.no_such_table', 'seen.no_such_table'],
    ['other.seen.radio_play_v1', null],
    ['producers', null],
    ['seen.radio_play_v1', null],
    ['', null],
    ['producersxseen.radio_play_v1', null],
  ])('rejects topic "%s"', (topic, table) => {
    const violations = [{ field: 'topic', reason: 'unknown_table' }];
    expect(decode(envelope('c'), null, topic)).toEqual({
      kind: 'rejected',
      source: null,
      table,
      key: null,
      version: null,
      violations,
    });
  });

  it('accepts a prefix with dots', () => {
    const value = record(envelope('c'), null, 'eu.prod.seen.radio_play_v1');
    expect(decodeRecord(value, { ...context, prefix: 'eu.prod' })).toMatchObject({ kind: 'upsert' });
  });

  it('skips values that are not rows', () => {
    expect(decode({ status: 'BEGIN', id: '1' }, null, 'producers.transaction')).toMatchObject({
      kind: 'ignored',
    });
    expect(decode(envelope('m'), null, 'producers.message')).toMatchObject({ kind: 'ignored' });
    expect(decode(envelope('m'), null)).toMatchObject({ kind: 'ignored' });
  });

  it('decodes the heartbeat of its own connector', () => {
    const beat = { kind: 'heartbeat', connector: 'producers', timeMs: TIME };
    const topic = '__debezium-heartbeat.producers';
    expect(decode({ ts_ms: TIME }, null, topic)).toEqual(beat);
    expect(decode({ schema: {}, payload: { ts_ms: TIME } }, null, topic)).toEqual(beat);
    expect(decode('?', null, topic)).toEqual({ ...beat, timeMs: TIME + 500 });
    for (const key of [{ serverName: 'seen' }, { schema: {}, payload: { serverName: 'seen' } }])
      expect(decode({ ts_ms: TIME }, key, topic)).toEqual({ ...beat, connector: 'seen' });
    for (const key of ['Struct{serverName=seen}', { serverName: 'a\0' }, { serverName: 7 }])
      expect(decode({ ts_ms: TIME }, key, topic)).toEqual(beat);
    expect(decodeRecord({ ...record(null, null, topic), timestamp: null }, context)).toMatchObject({
      kind: 'ignored',
    });
    expect(decode({ ts_ms: TIME }, null, '__debezium-heartbeat.others')).toMatchObject({ kind: 'ignored' });
  });

  it('names the connector that wrote a change, if the change says it', () => {
    const connectorOf = (name: unknown) =>
      decode({ ...envelope('c'), source: { ...origin, name } }, null) as { connector?: string };
    expect(connectorOf('seen.eu').connector).toBe('seen.eu');
    for (const name of [undefined, null, 7, '', 'a\0', 'é', 'x'.repeat(250)])
      expect(connectorOf(name).connector, String(name)).toBeUndefined();
  });

  it('never throws', () => {
    const part = fc.oneof(
      fc.json(),
      fc.string(),
      fc.uint8Array().map((bytes) => Buffer.from(bytes)),
      fc.constant(null),
    );
    const member = fc.oneof(fc.jsonValue(), fc.constantFrom(row, origin, null, 'c', 'd', 't', 'r'));
    const envelopeLike = fc
      .record(
        { before: member, after: member, source: member, op: member, payload: member, schema: member },
        { requiredKeys: [] },
      )
      .map((value) => JSON.stringify(value));
    const topic = fc.oneof(
      fc.constant(TOPIC),
      fc.constantFrom(...sources.map(({ table }) => `producers.${table}`)),
      fc.string(),
    );
    fc.assert(
      fc.property(topic, part, fc.oneof(part, envelopeLike), (topic, key, value) => {
        const decoded = decodeRecord({ topic, key, value, headers: {}, offset: 0, timestamp: null }, context);
        expect(decoded.kind).toMatch(/^[a-z]+$/);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('files', () => {
  const line = (value: string): IncomingRecord => ({
    topic: 'seen.radio_play_v1',
    key: null,
    value,
    headers: {},
    offset: 7,
    timestamp: null,
  });
  const decodeLine = (value: string) =>
    decodeSnapshotLine(radioPlayV1, line(value), { ...context, timeMs: TIME });

  it('contain rows, older than any change', () => {
    expect(decodeLine(JSON.stringify(row))).toMatchObject({
      kind: 'upsert',
      key: 'aa.bbc.1',
      row: JSON.stringify(row),
      version: snapshotVersion(2, TIME),
      sourceTimeMs: TIME,
    });
  });

  it('or envelopes', () => {
    expect(decodeLine(JSON.stringify(envelope('r')))).toEqual(decode(envelope('r')));
    expect(decodeLine(JSON.stringify(envelope('d', { before: row, after: null })))).toMatchObject({
      kind: 'delete',
      key: 'aa.bbc.1',
    });
  });

  it('or nothing of the kind', () => {
    for (const value of ['[1]', 'null', '12', '{', '"row"'])
      expect(decodeLine(value)).toEqual(rejection('value', 'not_a_row', null, snapshotVersion(2, TIME)));
    expect(decodeLine('{"play_id":"x"}')).toMatchObject({
      kind: 'rejected',
      key: 'x',
      version: snapshotVersion(2, TIME),
      violations: { length: 4 },
    });
  });

  it('are also read row by row', () => {
    const stamp = { version: 'v', sourceTimeMs: 1 };
    expect(decodeRow(radioPlayV1, row, stamp)).toMatchObject({ kind: 'upsert', ...stamp });
  });

  it('of changes name topic, key and value', () => {
    const value = '{"n":9007199254740993}';
    const change = `{"topic":"t","key":{"a":1},"value":${value},"headers":{"h":"text","j":{"b":2}}}`;
    const expected = {
      topic: 't',
      key: '{"a":1}',
      value,
      headers: { h: 'text', j: '{"b":2}' },
      offset: 3,
      timestamp: null,
    };
    expect(parseChangeLine(change, 3)).toEqual(expected);
    expect(parseChangeLine(JSON.stringify({ topic: 't', key: null, value, timestamp: 5 }), 0)).toEqual({
      topic: 't',
      key: null,
      value,
      headers: {},
      offset: 0,
      timestamp: 5,
    });
    expect(parseChangeLine('{broken', 0)).toMatchObject({ topic: '', value: '{broken' });
  });
});
