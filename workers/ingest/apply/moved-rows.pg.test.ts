import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Registry, registerSources } from '../../../projections/engine/registry.ts';
import { clearIngest, states } from '../../../test/support/ingest/dead-letters.ts';
import {
  type ModelRecord,
  modelRecord,
  runModel,
  type Step,
} from '../../../test/support/ingest/debezium-model.ts';
import { MENTIONS, storedMentions } from '../../../test/support/ingest/mentions.ts';
import { noticesOf, readNotices, sweepEnded } from '../../../test/support/ingest/sweeps.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import { ingestBatch } from './ingest-batch.ts';
import { purgeMovedRows } from './moved-rows.ts';

const { pool } = withDatabase();
let registry: Registry;

beforeEach(async () => {
  await clearIngest(pool);
  registry = await registerSources(pool);
});

/** Which partition is read next, how many records, and whether it first goes back by so many. */
type Read = readonly [partition: number, count: number, back: number];

const TO_END: Read = [0, Number.POSITIVE_INFINITY, 0];
let groups = 0;

/** Reads the partitions in turn, and then what is left of each. @returns the consumer group */
async function consume(
  log: readonly (readonly ModelRecord[])[],
  reads: readonly Read[] = [],
  rest: readonly number[] = [...log.keys()],
): Promise<string> {
  const positions = log.map((): number | null => null);
  const group = `group ${++groups}`;
  const read = async ([partition, count, back]: Read) => {
    const from = Math.max(0, (positions[partition] ?? 0) - back);
    const records = (log[partition] ?? [])
      .slice(from, from + count)
      .map((record, index) => modelRecord(record, { partition, offset: from + index }));
    if (back > 0) {
      positions[partition] = null;
      await pool.query('delete from ingest.position where consumer_group = $1 and partition = $2', [
        group,
        partition,
      ]);
    }
    const topicPartition = { group, topic: `producers.${MENTIONS}`, partition };
    const to = from + records.length;
    await ingestBatch(pool, registry, { topicPartition, records, from: positions[partition] ?? null, to });
    positions[partition] = to;
  };
  for (const [partition, count, back] of reads) await read([partition % log.length, count, back]);
  for (const partition of rest) await read([partition, TO_END[1], 0]);
  return group;
}

async function rows(): Promise<Record<string, string>> {
  const stored = Object.entries(await storedMentions(pool));
  return Object.fromEntries(stored.flatMap(([key, title]) => (title === null ? [] : [[key, title]])));
}

const COMMIT = { step: 'end', by: 0, commits: true } as const;
const WRITE = { step: 'write', by: 0, key: 0, removes: false } as const;
const STREAM = { step: 'stream', commits: 9 } as const;
const move = (key: number, to: number) => ({ step: 'move', by: 0, key, to }) as const;
/** The keys of a row in turn, each a commit of its own; key n goes to partition n. */
const moves = (...keys: number[]): Step[] =>
  keys.flatMap((key, index): Step[] =>
    index === 0 ? [WRITE, COMMIT] : [move(keys[index - 1] as number, key), COMMIT],
  );
const ON_THREE: Step = { step: 'partitions', to: 3 };

describe('a row whose key changes, with a value that the record of the new key lacks', () => {
  it.each([
    ['with its old key', 99],
    ['after its old key', 1],
  ])('keeps the value when the new key is read %s', async (_, size) => {
    const { table, log } = runModel(moves(0, 1));
    await consume(
      log,
      Array.from({ length: 4 }, () => [0, size, 0]),
    );
    expect(log[0]?.at(-1)?.value).toBe('__debezium_unavailable_value');
    expect(await rows()).toEqual(Object.fromEntries(table));
    expect(await states(pool)).toEqual([]);
  });

  it('keeps the value when it moves on and back within a batch, or in one transaction', async () => {
    const inOne: readonly Step[] = [
      WRITE,
      COMMIT,
      move(0, 1),
      move(1, 2),
      move(2, 0),
      WRITE,
      move(0, 3),
      COMMIT,
    ];
    for (const steps of [moves(0, 1, 0, 2, 1, 0), inOne] as const) {
      await clearIngest(pool);
      const { table, log } = runModel(steps);
      await consume(log);
      expect(await rows()).toEqual(Object.fromEntries(table));
      expect(await states(pool)).toEqual([]);
    }
  });

  it('has the value once its old key has come over another partition', async () => {
    const { table, log } = runModel([ON_THREE, ...moves(0, 1)]);
    await consume(log, [], [1]);
    expect(await states(pool)).toEqual(['open@0']);
    await consume(log, [], [0]);
    expect(await rows()).toEqual(Object.fromEntries(table));
    expect(await states(pool)).toEqual(['replayed@0']);
    const { rows: audit } = await pool.query('select distinct actor, action from operation.audit');
    expect(audit).toEqual([{ actor: 'ingest', action: 'dead-letters replay' }]);
  });

  it('is a dead letter if its old key is not known', async () => {
    const { log } = runModel(moves(0, 1));
    await consume([log[0]?.slice(-1) ?? []]);
    expect(await rows()).toEqual({});
    const { rows: letters } = await pool.query('select state, class, violations from ingest.dead_letter');
    expect(letters).toEqual([
      { state: 'open', class: 'incomplete', violations: [{ field: 'title', reason: 'unavailable' }] },
    ]);
  });

  it('is forgotten under its old key after some time', async () => {
    await consume(runModel(moves(0, 1, 2)).log);
    const { signal } = new AbortController();
    expect(await purgeMovedRows(pool, new Date(Date.now() - 60_000), signal)).toBe(0);
    expect(await purgeMovedRows(pool, new Date(Date.now() + 60_000), signal)).toBe(2);
  });

  describe('after any history', () => {
    const small = fc.nat({ max: 3 });
    const by = fc.nat({ max: 1 });
    const step = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({ step: fc.constant('write'), by, key: small, removes: fc.boolean() }),
      },
      { weight: 8, arbitrary: fc.record({ step: fc.constant('move'), by, key: small, to: small }) },
      {
        weight: 6,
        arbitrary: fc.record({ step: fc.constant('end'), by, commits: small.map((one) => one > 0) }),
      },
      { weight: 2, arbitrary: fc.record({ step: fc.constant('stream'), commits: small }) },
      {
        weight: 1,
        arbitrary: fc.record({ step: fc.constant('snapshot'), lost: fc.constant(0), late: small }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          step: fc.constant('restart'),
          sent: small,
          back: small,
          clockMs: fc.constant(0),
        }),
      },
    ) as fc.Arbitrary<Step>;
    const reads = fc.array(fc.tuple(small, fc.nat({ max: 6 }), fc.oneof(fc.constant(0), small)), {
      maxLength: 12,
    });
    const steps = fc.array(step, { maxLength: 40, size: 'max' });
    const holds = async (given: readonly Step[], order: readonly Read[]) => {
      await clearIngest(pool);
      registry = await registerSources(pool);
      const { table, log, empty } = runModel([...given, STREAM]);
      const group = await consume(log, order);
      await readNotices(pool, registry, { group, notices: noticesOf(empty) });
      await sweepEnded(pool, registry, { group, ends: log.map(({ length }) => length) });
      return { table: Object.fromEntries(table), rows: await rows() };
    };

    it('has its value, wherever reading begins again', async () => {
      await fc.assert(
        fc.asyncProperty(steps, reads, async (given, order) => {
          const { table, rows: stored } = await holds(given, order);
          expect(stored).toEqual(table);
          expect((await states(pool)).filter((state) => state.startsWith('open'))).toEqual([]);
        }),
        { numRuns: 60 },
      );
    });

    it('has its value or is an open dead letter, however three partitions are read', async () => {
      await fc.assert(
        fc.asyncProperty(steps, reads, async (given, order) => {
          const { table, rows: stored } = await holds([ON_THREE, ...given], order);
          const { rows: open } = await pool.query<{ key: string }>(
            `select distinct key from ingest.dead_letter where state = 'open'`,
          );
          const isOpen = new Set(open.map(({ key }) => key));
          const known = (all: Record<string, string>) =>
            Object.fromEntries(Object.entries(all).filter(([key]) => !isOpen.has(key)));
          expect(known(stored)).toEqual(known(table));
        }),
        { numRuns: 60 },
      );
    });
  });
});
