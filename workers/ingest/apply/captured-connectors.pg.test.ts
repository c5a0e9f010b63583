import { beforeEach, describe, expect, it } from 'vitest';
import { type Registry, registerSources } from '../../../projections/engine/registry.ts';
import { capturedRecords } from '../../../test/support/ingest/captured-records.ts';
import { clearIngest, decodedRecord, states } from '../../../test/support/ingest/dead-letters.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import { ingestBatch } from './ingest-batch.ts';

const { pool } = withDatabase();
let registry: Registry;
let groups = 0;

beforeEach(async () => {
  await clearIngest(pool);
  registry = await registerSources(pool);
});

/** Reads each topic of a capture from an offset on, record by record, as another consumer group. */
async function read(connector: Parameters<typeof capturedRecords>[0], from = 0): Promise<void> {
  const topics = Map.groupBy(capturedRecords(connector), ({ topic }) => topic);
  const group = `group ${++groups}`;
  for (const [topic, records] of topics) {
    let position: number | null = null;
    for (const record of records.slice(from)) {
      const batch = [decodedRecord(record, registry)];
      const topicPartition = { group, topic, partition: 0 };
      await ingestBatch(pool, registry, {
        topicPartition,
        records: batch,
        from: position,
        to: record.offset + 1,
      });
      position = record.offset + 1;
    }
  }
}

async function stored(): Promise<Record<string, string>> {
  const { rows } = await pool.query<{ place: string; title: string }>(
    `select name || ' ' || left(key, 8) as place, coalesce(row::json ->> 'title', row::json ->> 'name', '') as title
     from ingest.mirror join ingest.source on id = source where row is not null order by 1`,
  );
  return Object.fromEntries(rows.map(({ place, title }) => [place, title]));
}

describe.each([
  [
    'mariadb',
    {
      'seen.artist_momentum a3a3a3a3': '',
      'seen.festival f1': 'One',
      'seen.radio_play_v1 p1': 'Änne!',
      'seen.radio_play_v1 p33': 'c!',
      'seen.radio_play_v1 p4': 'replaced',
    },
    [],
  ],
  [
    'mysql',
    {
      'seen.artist_momentum a3a3a3a3': '',
      'seen.festival f1': 'One',
      'seen.radio_play_v1 p1': 'Änne!',
      'seen.radio_play_v1 p33': 'c!',
      'seen.radio_play_v1 p4': 'replaced',
    },
    [],
  ],
  // The delete of the document supersedes the change that came without it, and that of the one with NaN.
  [
    'mongodb',
    { 'seen.radio_play_v1 p1': 'three', 'seen.radio_play_v1 p3': 'replaced' },
    ['superseded@0', 'superseded@7'],
  ],
] as const)('the records of %s', (connector, rows, deadLetters) => {
  it('leave the rows of the database, also when they are read again from anywhere', async () => {
    await read(connector);
    expect(await stored()).toEqual(rows);
    expect(await states(pool)).toEqual(deadLetters);
    for (const from of [1, 3, 8, 0]) {
      await read(connector, from);
      expect(await stored()).toEqual(rows);
    }
  });
});
