import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { artistPressMentions } from '../../../projections/contracts/archive/artist-press-mentions.ts';
import { type Registry, registerSources } from '../../../projections/engine/registry.ts';
import { clearIngest } from '../../../test/support/ingest/dead-letters.ts';
import { modelRecord, runModel, type Step } from '../../../test/support/ingest/debezium-model.ts';
import { MENTIONS, storedMentions } from '../../../test/support/ingest/mentions.ts';
import { noticesOf, readNotices, sweepEnded } from '../../../test/support/ingest/sweeps.ts';
import { runOps } from '../../../test/support/run-ops.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import { ingestBatch } from '../apply/ingest-batch.ts';
import { undoReplacement } from '../snapshots/undo-replacement.ts';
import { findObjection } from './find-objection.ts';
import { listBlocked } from './sweep.ts';

const { pool, url } = withDatabase();
let registry: Registry;
let groups = 0;

beforeEach(async () => {
  await clearIngest(pool);
  registry = await registerSources(pool);
});

/** Applies a history: all partitions, then the notifications. */
async function read(steps: readonly Step[], group = `group ${++groups}`) {
  const result = runModel(steps);
  for (const [partition, all] of result.log.entries()) {
    const records = all.map((record, offset) => modelRecord(record, { partition, offset }));
    const topicPartition = { group, topic: `producers.${MENTIONS}`, partition };
    await ingestBatch(pool, registry, { topicPartition, records, from: null, to: records.length });
  }
  await readNotices(pool, registry, { group, notices: noticesOf(result.empty) });
  return { ...result, group, ends: result.log.map(({ length }) => length) };
}

const rows = async (): Promise<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(await storedMentions(pool)).flatMap(([key, title]) =>
      title === null ? [] : [[key, title]],
    ),
  );

const write = (key: number, removes = false): Step[] => [
  { step: 'write', by: 0, key, removes },
  { step: 'end', by: 0, commits: true },
];
const STREAM: Step = { step: 'stream', commits: 99 };
const SNAPSHOT: Step = { step: 'snapshot', lost: 0, late: 0 };
/** Two rows are streamed, then one is deleted while the connector is down, and it takes a snapshot. */
const GHOST: Step[] = [...write(0), ...write(1), STREAM, ...write(1, true), SNAPSHOT];
const EMPTIED: Step[] = [...write(0), STREAM, ...write(0, true), SNAPSHOT];

describe('a row that was deleted while the connector was down', () => {
  it('is removed after the snapshot, and comes back by an undo', async () => {
    const { group, ends, table } = await read(GHOST);
    expect(Object.keys(await rows())).toEqual(['k0', 'k1']);
    const [swept] = await sweepEnded(pool, registry, { group, ends });
    expect([swept?.removed, await rows()]).toEqual([1, Object.fromEntries(table)]);
    const { rows: audit } = await pool.query('select action, target from operation.audit');
    expect(audit).toEqual([{ action: 'sweep', target: MENTIONS }]);
    const undone = await undoReplacement(pool, registry, artistPressMentions, { actor: 'a', why: 'w' });
    expect([undone?.restored, Object.keys(await rows())]).toEqual([1, ['k0', 'k1']]);
  });

  it('stays removed when the topic is read again', async () => {
    const { group, ends, table } = await read(GHOST);
    await sweepEnded(pool, registry, { group, ends });
    await pool.query('delete from ingest.position');
    await read(GHOST, group);
    expect(await rows()).toEqual(Object.fromEntries(table));
  });

  it('is not removed before every partition is read', async () => {
    const { group, ends } = await read(GHOST);
    expect(await sweepEnded(pool, registry, { group, ends: [...ends, 1] })).toEqual([]);
  });

  it('is removed from an emptied table by the notification', async () => {
    const { group, ends } = await read(EMPTIED);
    expect(Object.keys(await rows())).toEqual(['k0']);
    await sweepEnded(pool, registry, { group, ends });
    expect(await rows()).toEqual({});
  });

  it('stays while a dead letter of its key, or of no key, may be its row', async () => {
    const { group, ends } = await read(GHOST);
    const addDeadLetter = (key: string | null) =>
      pool.query(
        `insert into ingest.dead_letter (source, topic, partition, record_offset, headers, violations, class, key)
         values ($1, $2, 0, 99, '{}', '[]', 'contract', $3)`,
        [registry.idOf(artistPressMentions), `producers.${MENTIONS}`, key],
      );
    await addDeadLetter(null);
    const objection = (counts: Parameters<typeof findObjection>[0]) => findObjection(counts, 'counted');
    const [blocked] = await sweepEnded(pool, registry, { group, ends, objection });
    expect(blocked?.objection).toMatch(/no readable key/);
    await pool.query(`delete from ingest.dead_letter; update ingest.sweep set state = 'waiting'`);
    await addDeadLetter('k1');
    await sweepEnded(pool, registry, { group, ends });
    expect(Object.keys(await rows())).toEqual(['k0', 'k1']);
  });
});

describe('a snapshot that lacks too many rows', () => {
  const objection = (counts: Parameters<typeof findObjection>[0]) => findObjection(counts, 'counted');

  it('is blocked until an operator runs or dismisses it', async () => {
    vi.stubEnv('DATABASE_URL', url);
    const { group, ends, table } = await read(GHOST);
    await sweepEnded(pool, registry, { group, ends, objection });
    expect(Object.keys(await rows())).toEqual(['k0', 'k1']);
    const [blocked] = await listBlocked(pool);
    expect(blocked).toMatchObject({ table: MENTIONS, stored: 2, missing: 1 });
    expect((await runOps('sweeps', 'list')).printed[1]).toMatch(/lacks 1 of 2 rows, more than 5 %/);
    expect((await runOps('status')).printed.join('\n')).toMatch(/lacks 1 of 2 rows/);
    expect((await runOps('sweeps', 'run', MENTIONS, '--why', 'they are gone')).printed).toEqual([
      'removed\t1',
    ]);
    expect(await rows()).toEqual(Object.fromEntries(table));
    expect((await runOps('sweeps', 'dismiss', MENTIONS, '--why', 'x')).code).toBe(1);
    await pool.query(`update ingest.sweep set state = 'blocked'`);
    expect((await runOps('sweeps', 'dismiss', MENTIONS, '--why', 'x')).printed).toEqual(['dismissed\t1']);
    vi.unstubAllEnvs();
  });

  it('is swept if the connector counted as many rows as arrived', async () => {
    const { group, ends, log } = await read(GHOST);
    const last = log.flat().at(-1)?.timestamp ?? 0;
    const notices = [
      { type: 'STARTED', atMs: last - 1 },
      { type: 'TABLE_SCAN_COMPLETED', rows: 1, atMs: last },
    ] as const;
    await pool.query(`delete from ingest.position where topic = 'producers.notifications'`);
    await readNotices(pool, registry, { group, notices });
    const [swept] = await sweepEnded(pool, registry, { group, ends, objection });
    expect([swept?.removed, swept?.counts.expected]).toEqual([1, 1]);
  });
});

describe('the mirror, once ended snapshots are swept', () => {
  const small = fc.nat({ max: 2 });
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.tuple(small, fc.boolean()).map(([key, removes]) => write(key, removes)) },
    { weight: 3, arbitrary: fc.constant([STREAM]) },
    {
      weight: 2,
      arbitrary: fc.tuple(small, small).map(([lost, late]): Step[] => [{ step: 'snapshot', lost, late }]),
    },
    { weight: 1, arbitrary: fc.constant<Step[]>([{ step: 'blocking', stale: false }]) },
    { weight: 1, arbitrary: fc.constant<Step[]>([{ step: 'partitions', to: 3 }]) },
  );

  it('is the committed table, as in memory', async () => {
    const property = fc.asyncProperty(fc.array(step, { maxLength: 25, size: 'max' }), async (steps) => {
      await clearIngest(pool);
      registry = await registerSources(pool);
      const { group, ends, table } = await read(steps.flat());
      await sweepEnded(pool, registry, { group, ends });
      expect(await rows()).toEqual(Object.fromEntries([...table].sort()));
    });
    await fc.assert(property, { numRuns: 60 });
  });
});
