import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { capturedRecords } from '../../../test/support/ingest/captured-records.ts';
import { compareVersions } from './compare-versions.ts';
import { type Decoded, decodeRecord, type IncomingRecord } from './envelope.ts';

const context = { prefix: 'producers', epoch: () => 0 };
const decode = (record: IncomingRecord): Decoded => decodeRecord(record, context);

type Tables = Record<string, Record<string, unknown>>;

/** The newest rows of each table, whatever the order of the records. */
function tablesAfter(records: readonly IncomingRecord[]): Tables {
  const newest = new Map<string, Decoded & { kind: 'upsert' | 'delete' }>();
  const floors = new Map<string, string>();
  for (const decoded of records.map(decode)) {
    if (decoded.kind === 'truncate') floors.set(decoded.source.table, decoded.version);
    if (decoded.kind !== 'upsert' && decoded.kind !== 'delete') continue;
    const place = `${decoded.source.table} ${decoded.key}`;
    const before = newest.get(place);
    if (before === undefined || compareVersions(before.version, decoded.version) <= 0)
      newest.set(place, decoded);
  }
  const tables: Tables = {};
  for (const decoded of newest.values()) {
    const { table } = decoded.source;
    const floor = floors.get(table);
    const isTruncated = floor !== undefined && compareVersions(decoded.version, floor) < 0;
    if (decoded.kind === 'upsert' && !isTruncated)
      tables[table] = { ...tables[table], [decoded.key]: JSON.parse(decoded.row) };
  }
  return tables;
}

const shuffled = (records: readonly IncomingRecord[]) =>
  fc.shuffledSubarray([...records, ...records], { minLength: records.length * 2 });

describe.each(['mariadb', 'mysql'] as const)('records of the %s connector', (connector) => {
  const records = capturedRecords(connector);

  it('are decoded, all of them', () => {
    const kinds = Object.groupBy(records.map(decode), ({ kind }) => kind);
    expect(kinds.rejected).toBeUndefined();
    expect(Object.keys(kinds).sort()).toEqual(['delete', 'tombstone', 'truncate', 'upsert']);
    for (const one of [...(kinds.upsert ?? []), ...(kinds.delete ?? [])])
      expect(one).toMatchObject({ form: 'binlog', connector: 'producers' });
  });

  it('leave the rows of the database, in any order and repeated', () => {
    const tables = tablesAfter(records);
    expect(tables).toMatchObject({
      'seen.radio_play_v1': {
        p1: {
          cluster_id: 'a1'.repeat(32),
          title: 'Änne!',
          country: 'GB',
          dj_name: 'z',
          played_at: '2018-02-10T21:13:00Z',
        },
        p33: { title: 'c!', cluster_id: 'a3'.repeat(32), recording_cluster_id: null },
        p4: {
          title: 'replaced',
          played_at: '2020-01-02T00:00:00Z',
          // The log leaves out zeros at the end of a binary.
          recording_cluster_id: `${'b1'.repeat(30)}0000`,
        },
      },
      'seen.artist_momentum': {
        ['a3'.repeat(32)]: {
          emergence_score: 99999999.9999,
          momentum_score: 1.7976931348623157e308,
          is_fresh_breakout: true,
          is_unsigned: false,
          as_of: '0001-01-01',
        },
      },
      'seen.festival': { f1: { aliases: ['ä'], merged_slugs: [], at: '2038-01-19T03:14:07.999999Z' } },
    });
    expect(Object.keys(tables['seen.radio_play_v1'] ?? {}).sort()).toEqual(['p1', 'p33', 'p4']);
    expect(Object.keys(tables['seen.artist_momentum'] ?? {})).toHaveLength(1);
    fc.assert(
      fc.property(shuffled(records), (some) => {
        expect(tablesAfter(some)).toEqual(tables);
      }),
      { numRuns: 100 },
    );
  });
});

describe('records of the MongoDB connector', () => {
  const records = capturedRecords('mongodb');

  it('are decoded, except for a document with NaN and a change without its document', () => {
    const rejected = records.map(decode).filter(({ kind }) => kind === 'rejected');
    expect(rejected).toMatchObject([
      { key: '5f0000000000000000000001', violations: [{ field: 'after', reason: 'not_json' }] },
      { key: 'p2', violations: [{ field: 'after', reason: 'no_document' }] },
    ]);
  });

  it('leave the documents, also when the connector sends a suffix again', () => {
    const tables = tablesAfter(records);
    expect(tables).toMatchObject({
      'seen.radio_play_v1': {
        p1: {
          cluster_id: 'a1'.repeat(32),
          title: 'three',
          played_at: '2018-02-10T21:13:00Z',
          play_id: 'p1',
        },
        p3: { title: 'replaced' },
      },
    });
    expect(Object.keys(tables['seen.radio_play_v1'] ?? {}).sort()).toEqual(['p1', 'p3']);
    // The deletes name their rows by the key alone.
    expect(Object.keys(tables)).toEqual(['seen.radio_play_v1']);
    const plays = records.filter(({ topic }) => topic.endsWith('radio_play_v1'));
    for (const from of plays.keys()) {
      const again = plays.slice(from).map((record, index) => ({ ...record, offset: plays.length + index }));
      expect(tablesAfter([...plays, ...again])).toEqual(tables);
      expect(tablesAfter([...again, ...plays])).toEqual(tables);
    }
  });
});
