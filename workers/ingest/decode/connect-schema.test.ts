import { describe, expect, it } from 'vitest';
import { artistPressMentions } from '../../../projections/contracts/archive/artist-press-mentions.ts';
import { unwrap, unwrapBytes, unwrapText } from './connect-schema.ts';
import { decodeRecord } from './envelope.ts';

const ID = 'a'.repeat(64);
const source = artistPressMentions;

function schema(timestamp: string, extra: object = {}) {
  const fields = [
    { type: 'bytes', optional: false, field: 'cluster_id' },
    { type: 'int64', name: timestamp, version: 1, optional: false, field: 'published_at' },
  ];
  const struct = (field: string) => ({ type: 'struct', fields, optional: true, field });
  return {
    type: 'struct',
    fields: [struct('before'), struct('after')],
    optional: false,
    name: 'Envelope',
    ...extra,
  };
}

const payload = (count: number) => ({
  before: null,
  after: {
    cluster_id: Buffer.from(ID, 'hex').toString('base64'),
    mention_id: 'm1',
    outlet: 'o',
    title: 't',
    url: 'u',
    kind: 'press',
    published_at: count,
  },
  source: { lsn: 5, sequence: null, ts_ms: 1 },
  op: 'c',
});

function publishedAt(text: string): unknown {
  const record = {
    topic: `producers.${source.table}`,
    key: null,
    value: text,
    headers: {},
    offset: 0,
    timestamp: null,
  };
  const decoded = decodeRecord(record, { prefix: 'producers', epoch: () => 0 });
  if (decoded.kind !== 'upsert') throw new Error(JSON.stringify(decoded));
  return JSON.parse(decoded.row).published_at;
}

const wrapped = (type: string, count: number): string =>
  JSON.stringify({ schema: schema(type), payload: payload(count) });

describe('messages with a schema', () => {
  it('define the unit of their integers', () => {
    expect(publishedAt(wrapped('io.debezium.time.MicroTimestamp', 1_000_000))).toBe('1970-01-01T00:00:01Z');
    expect(publishedAt(wrapped('io.debezium.time.Timestamp', 1_000_000))).toBe('1970-01-01T00:16:40Z');
    expect(publishedAt(wrapped('org.apache.kafka.connect.data.Timestamp', 2_000))).toBe(
      '1970-01-01T00:00:02Z',
    );
    expect(publishedAt(wrapped('io.debezium.time.NanoTimestamp', 3_000_000_000))).toBe(
      '1970-01-01T00:00:03Z',
    );
    expect(publishedAt(wrapped('io.debezium.time.Date', 1))).toBe('1970-01-02T00:00:00Z');
  });

  it('without a unit in it are read like messages without one: in microseconds', () => {
    expect(publishedAt(wrapped('no.such.Type', 1e15))).toBe('2001-09-09T01:46:40Z');
    expect(publishedAt(JSON.stringify(payload(1e15)))).toBe('2001-09-09T01:46:40Z');
    expect(() => publishedAt(wrapped('no.such.Type', 1e12))).toThrow('unit_not_stated');
  });

  it('are decoded the same with and without a known schema text', () => {
    const type = 'io.debezium.time.MicroTimestamp';
    const plain = wrapped(type, 1_000_000);
    const others = [
      plain,
      `${plain.slice(0, -1)},"more":1}`,
      JSON.stringify({ schema: schema(type), payload: payload(1_000_000) }, null, 2),
      JSON.stringify({ payload: payload(1_000_000), schema: schema(type) }),
      `${plain}\n`,
    ];
    for (const text of [...others, ...others]) expect(publishedAt(text)).toBe('1970-01-01T00:00:01Z');
  });

  it('share one decoder as long as the schema stays', () => {
    const type = 'io.debezium.time.MicroTimestamp';
    const first = unwrapText(source, 'value', wrapped(type, 1));
    expect(unwrapText(source, 'value', wrapped(type, 2)).decoder).toBe(first.decoder);
    expect(unwrap(source, 'value', { schema: schema(type), payload: 1 }).decoder).toBe(first.decoder);
    expect(unwrapText(source, 'value', wrapped('io.debezium.time.Timestamp', 1)).decoder).not.toBe(
      first.decoder,
    );
  });

  it('may have a schema without information', () => {
    for (const schema of [{}, null, 'x', { fields: [null, { field: 'after', fields: 'x' }] }]) {
      expect(publishedAt(JSON.stringify({ schema, payload: payload(1e15) }))).toBe('2001-09-09T01:46:40Z');
    }
  });
});

describe('the bytes of a message', () => {
  const plain = (part: object): string => JSON.stringify(part);
  const texts = [
    wrapped('io.debezium.time.Timestamp', 1),
    wrapped('io.debezium.time.Timestamp', 2),
    plain({ schema: schema('io.debezium.time.Timestamp'), payload: { title: 'é \ufffd 日本' } }),
    `${wrapped('io.debezium.time.Timestamp', 3).slice(0, -1)},"more":1}`,
    wrapped('io.debezium.time.MicroTimestamp', 4),
    plain(payload(5)),
  ];

  it.each(texts)('give what their text gives: %#', (text) => {
    // The schema is known from the first on.
    unwrapText(source, 'value', texts[0] as string);
    const ofBytes = unwrapBytes(source, 'value', Buffer.from(text));
    expect(ofBytes.payload).toEqual(unwrapText(source, 'value', text).payload);
  });

  it.each([
    ['cut off', (bytes: Buffer) => bytes.subarray(0, -1)],
    [
      'without the end of the payload',
      (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -2), Buffer.from('}')]),
    ],
    [
      'not UTF-8 in the payload',
      (bytes: Buffer) => Buffer.from(bytes.map((byte) => (byte === 0x74 ? 0xff : byte))),
    ],
  ])('are rejected: %s', (_name, broken) => {
    const whole = Buffer.from(texts[0] as string);
    unwrapBytes(source, 'value', whole);
    const head = whole.indexOf('"payload":');
    const bytes = Buffer.concat([whole.subarray(0, head), broken(whole.subarray(head))]);
    expect(() => unwrapBytes(source, 'value', bytes)).toThrow(SyntaxError);
  });
});
