import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { textArray } from '../../../db/arrays.ts';
import { type Registry, registerSources } from '../../../projections/engine/registry.ts';
import { clearIngest } from '../../../test/support/ingest/dead-letters.ts';
import { type ModelRecord, modelRecord, runModel } from '../../../test/support/ingest/debezium-model.ts';
import { MENTIONS, storedMentions } from '../../../test/support/ingest/mentions.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import { compareVersions } from '../decode/compare-versions.ts';
import { connectorPosition } from '../decode/connector-position.ts';
import { changeVersion, removalVersion, snapshotVersion, supersededBy } from '../decode/version.ts';
import { ingestBatch } from './ingest-batch.ts';

const { pool } = withDatabase();
let registry: Registry;

beforeEach(async () => {
  await clearIngest(pool);
  registry = await registerSources(pool);
});

const few = fc.nat({ max: 3 });
const partition = fc
  .tuple(fc.constantFrom('producers.a', 'producers.b'), fc.nat({ max: 1 }))
  .map(([topic, number]) => ({ topic, partition: number }));
const timeMs = fc.oneof(
  few,
  few.map((minutes) => 1_788_000_000_000 + minutes * 40_000),
);
const change = fc
  .record({
    commit: fc.option(few),
    own: few,
    offset: few,
    timeMs,
    partition: fc.option(partition),
    isRow: fc.boolean(),
  })
  .map(({ commit, own, offset, isRow, ...rest }) => {
    const delivery =
      rest.partition === null ? undefined : { ...rest, partition: rest.partition, hasOwnPosition: !isRow };
    const sequence = JSON.stringify([commit === null ? null : `${commit + 1}`, `${own + 1}`]);
    return changeVersion(0, { sequence, lsn: own + 1, sourceTimeMs: 1, offset, delivery }, own === 3) ?? '';
  });
/** Of MySQL and of MongoDB. */
const otherChange = fc
  .record({
    connector: fc.constantFrom('mysql', 'mongodb'),
    file: few,
    row: few,
    offset: few,
    timeMs,
    partition: fc.option(partition),
    isRead: fc.boolean(),
  })
  .map(({ connector, file, row, offset, isRead, timeMs: ms, ...rest }) => {
    const origin = { connector, file: `binlog.00000${file + 1}`, pos: 100, row };
    const other = connectorPosition(origin, { isRead, sourceTimeMs: ms + 1 });
    const hasOwnPosition = !isRead && connector === 'mysql';
    const delivery =
      rest.partition === null ? undefined : { partition: rest.partition, timeMs: ms, hasOwnPosition };
    const position = { sequence: null, lsn: undefined, other, sourceTimeMs: ms + 1, offset, delivery };
    return changeVersion(0, position, row === 3) ?? '';
  });
const removal = fc
  .tuple(few, fc.option(partition), few)
  .map(([at, read, offset]) =>
    removalVersion(0, at, read === null ? undefined : { partition: read, offset }),
  );
const version = fc.oneof(
  { weight: 6, arbitrary: change },
  { weight: 6, arbitrary: otherChange },
  removal,
  fc.tuple(change, removal).map(([one, gone]) => supersededBy(one, gone)),
  fc.tuple(fc.nat({ max: 1 }), few).map(([epoch, at]) => snapshotVersion(epoch, at)),
);

describe('the order of versions', () => {
  it('is the same in the database and in memory, and the reverse of the reversed pair', async () => {
    const pairs = fc.sample(fc.tuple(version, version), 20_000);
    expect(await pool.query(`select ingest.compare_versions(null, 'x') as order`)).toMatchObject({
      rows: [{ order: null }],
    });
    const { rows } = await pool.query<{ order: number }>(
      'select ingest.compare_versions(a, b) as order from unnest($1::text[], $2::text[]) pair (a, b)',
      [textArray(pairs.map(([a]) => a)), textArray(pairs.map(([, b]) => b))],
    );
    const differing = pairs.filter(([a, b], at) => compareVersions(a, b) !== rows[at]?.order);
    expect(differing).toEqual([]);
    expect(pairs.filter(([a, b]) => compareVersions(a, b) !== 0 - compareVersions(b, a))).toEqual([]);
    expect(new Set(rows.map(({ order }) => order))).toEqual(new Set([-1, 0, 1]));
  });

  it('needs no call of a function for a row', async () => {
    const { rows } = await pool.query(
      `explain (verbose) select ingest.compare_versions(version, 'x') from ingest.mirror`,
    );
    expect(JSON.stringify(rows)).not.toMatch(/ingest\.(?!mirror)/);
  });
});

let groups = 0;

/** Applies the records of a topic, each as a batch of its own, from an offset on. */
async function read(log: readonly (readonly ModelRecord[])[], from = 0): Promise<void> {
  const group = `group ${++groups}`;
  for (const [number, records] of log.entries()) {
    const topicPartition = { group, topic: `producers.${MENTIONS}`, partition: number };
    let position: number | null = null;
    for (const [index, record] of records.slice(from).entries()) {
      const offset = from + index;
      const batch = [modelRecord(record, { partition: number, offset })];
      await ingestBatch(pool, registry, { topicPartition, records: batch, from: position, to: offset + 1 });
      position = offset + 1;
    }
  }
}

describe('a transaction that is open over a snapshot', () => {
  const open = [
    { step: 'write', by: 0, key: 1, removes: false },
    { step: 'end', by: 0, commits: true },
    { step: 'write', by: 1, key: 1, removes: false },
  ] as const;
  const commit = { step: 'end', by: 1, commits: true } as const;

  it.each([
    ['initial', [{ step: 'snapshot', lost: 0, late: 0 }, commit] as const],
    ['blocking', [{ step: 'stream', commits: 9 }, { step: 'blocking', stale: false }, commit] as const],
    [
      'always, after a restart',
      [{ step: 'stream', commits: 9 }, { step: 'snapshot', lost: 1, late: 0 }, commit] as const,
    ],
    [
      'incremental',
      [
        { step: 'stream', commits: 9 },
        { step: 'low' },
        { step: 'read' },
        { step: 'high' },
        { step: 'stream', commits: 9 },
        commit,
      ] as const,
    ],
  ])('is applied: %s', async (_, steps) => {
    const { table, log } = runModel([...open, ...steps]);
    expect(log.flat().map(({ op }) => op)).toContain('r');
    await read(log);
    expect(await storedMentions(pool)).toEqual(Object.fromEntries(table));
    // Reading the topic again from anywhere changes nothing.
    await read(log, 1);
    await read(log);
    expect(await storedMentions(pool)).toEqual(Object.fromEntries(table));
  });

  it('is applied to rows that an earlier release has stored, when the topic is read again', async () => {
    const { table, log } = runModel([...open, { step: 'snapshot', lost: 0, late: 0 }, commit]);
    await read([log[0]?.slice(0, 1) ?? []]);
    await pool.query('update ingest.mirror set version = left(version, 41)');
    await read(log);
    expect(await storedMentions(pool)).toEqual(Object.fromEntries(table));
  });
});
