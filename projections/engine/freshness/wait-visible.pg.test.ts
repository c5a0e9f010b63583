import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ProducerChange } from '../../../test/support/history/history.ts';
import { deliveries, repeat } from '../../../test/support/ingest/delivery.ts';
import { rebuild } from '../../../test/support/projections/rebuild.ts';
import { CLUSTER, OTHER_CLUSTER, rowsOf } from '../../../test/support/rows/source-rows.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import { ingestBatch } from '../../../workers/ingest/apply/ingest-batch.ts';
import { drain } from '../../../workers/project/drain.ts';
import { projectBatch } from '../../../workers/project/project-batch.ts';
import type { RowOf } from '../../contracts/columns.ts';
import type { Source } from '../../contracts/contract.ts';
import { artistIdentityBridge } from '../../contracts/seen/artist-identity-bridge.ts';
import { performingEntity } from '../../contracts/seen/performing-entity.ts';
import { storefrontItem } from '../../contracts/storefront/item.ts';
import { projectionByName, projections } from '../../index.ts';
import { type Registry, registerSources } from '../registry.ts';
import { keptVersions, viewOf } from '../store/version.ts';
import type { RecordPosition } from './position.ts';
import { type PositionWaiter, positionWaiter } from './wait-visible.ts';

/** Longer than any wait here takes. */
const LONG_MS = 30_000;
const ITEM = 'i1';
const ADDRESS = `catalog-artist:7/${ITEM}`;

const write = <S extends Source>(source: S, row: Partial<RowOf<S['columns']>>): ProducerChange[] =>
  rowsOf(source, row).rows.map((whole) => ({ source, kind: 'write', row: whole, unavailable: [] }));

const bridged = (cluster: string, artist: number, confidence: number): ProducerChange[] =>
  write(artistIdentityBridge, { cluster_id: cluster, catalog_artist_id: artist, confidence, is_exact: true });

const world: ProducerChange[] = [
  ...write(performingEntity, { cluster_id: CLUSTER, slug: 'mono' }),
  ...write(storefrontItem, { item_id: ITEM, cluster_id: CLUSTER }),
  ...bridged(CLUSTER, 7, 0.5),
  ...bridged(OTHER_CLUSTER, 8, 0.9),
];
/**
 * Takes the catalogue artist away from the first cluster, and so the release: the artist leads to that cluster, the
 * cluster to its release.
 */
const rival = bridged(OTHER_CLUSTER, 7, 0.9);

const { pool } = withDatabase();
const replica = withDatabase();
let registry: Registry;
let waiter: PositionWaiter;
const done: ProducerChange[] = [];
let partitions = 0;

beforeAll(async () => {
  registry = await registerSources(pool);
  await ingest('world', world);
  for (const projection of projections) await rebuild(pool, projection, registry);
});
beforeEach(() => {
  waiter = positionWaiter(pool);
});
afterEach(() => {
  waiter.stop();
  vi.restoreAllMocks();
});

/** Ingests writes in one batch, each newer than all before. Returns the log position of the last one. */
async function ingest(prefix: string, rowChanges: readonly ProducerChange[]): Promise<RecordPosition> {
  const topic = `${prefix}.${performingEntity.table}`;
  const records = rowChanges.flatMap((rowChange) => {
    done.push(rowChange);
    const delivery = deliveries(done, repeat(1), registry).find((one) =>
      one.topic.endsWith(rowChange.source.table),
    );
    return delivery?.batches.flatMap((batch) => batch.records).slice(-1) ?? [];
  });
  const topicPartition = { group: 'test', topic, partition: partitions++ };
  await ingestBatch(pool, registry, { topicPartition, records, from: null, to: records.length });
  return { topic, partition: topicPartition.partition, offset: records.length - 1 };
}

/** Whether the release is found under the catalogue artist. */
async function isFiled(): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from ${viewOf('storefront-release')}_address where address = $1`,
    [ADDRESS],
  );
  return rowCount === 1;
}

/** Projects the documents that are dirty now, but not the dependents they mark dirty. */
async function projectOnce(): Promise<number> {
  let marks = 0;
  for (const version of await keptVersions(pool, projections)) {
    const projection = projectionByName.get(version.projection);
    if (projection === undefined) throw new Error(`there is no projection ${version.projection}`);
    const { rows } = await pool.query<{ bucket: number }>(
      'select distinct bucket from projection.mark where version = $1 order by bucket desc',
      [version.id],
    );
    // One bucket at a time, as if other projectors held those of the dependents. In this order no later bucket
    // contains dependents of an earlier one.
    for (const { bucket } of rows) {
      const result = await projectBatch(
        pool,
        { projection, versions: [version], buckets: [bucket] },
        registry,
      );
      marks += result?.marks ?? 0;
    }
  }
  return marks;
}

async function isAnythingMarked(): Promise<boolean> {
  const { rowCount } = await pool.query('select from projection.mark limit 1');
  return rowCount === 1;
}

const countPolls = () => {
  const spy = vi.spyOn(pool, 'query');
  return () =>
    spy.mock.calls.filter(([query]) => (query as { name?: string }).name === 'poll-positions').length;
};

describe('a position', () => {
  it('is visible when the records before it and its own are applied and projected', async () => {
    const position = await ingest('short', world);
    await drain(pool, registry);
    const beyond = { ...position, offset: position.offset + 1 };
    expect(await waiter.wait([beyond], 60)).toEqual({ outcome: 'not yet', waitedMs: expect.any(Number) });
    expect((await waiter.wait([position], LONG_MS)).outcome).toBe('visible');
    expect((await waiter.wait([position, beyond], 60)).outcome).toBe('not yet');
    expect((await waiter.wait([{ ...position, topic: 'nope.seen.festival' }], 60)).outcome).toBe('not yet');
  });

  it('is polled once if the timeout is zero', async () => {
    const position = await ingest('hasty', world);
    await drain(pool, registry);
    const both = [position, { ...position, offset: position.offset + 1 }];
    const waited = await Promise.all(both.map((one) => waiter.wait([one], 0)));
    expect(waited.map(({ outcome: sight }) => sight)).toEqual(['visible', 'not yet']);
  });

  it('is visible once any consumer group applies it', async () => {
    await drain(pool, registry);
    const waiting = waiter.wait([{ topic: 'later.seen.festival', partition: 3, offset: 5 }], LONG_MS);
    const topicPartition = { group: 'another', topic: 'later.seen.festival', partition: 3 };
    await ingestBatch(pool, registry, { topicPartition, records: [], from: null, to: 5 });
    await ingestBatch(pool, registry, { topicPartition, records: [], from: 5, to: 6 });
    expect((await waiting).outcome).toBe('visible');
  });

  it('is rejected while its record is an open dead letter', async () => {
    const position = await ingest('refused', world);
    await drain(pool, registry);
    await pool.query(
      `insert into ingest.dead_letter (topic, partition, record_offset, headers, violations, class)
       values ($1, $2, $3, '{}', '[]', 'contract')`,
      [position.topic, position.partition, position.offset],
    );
    expect((await waiter.wait([position], LONG_MS)).outcome).toBe('dead letter');
    expect((await waiter.wait([{ ...position, offset: 0 }], LONG_MS)).outcome).toBe('visible');
    expect((await waiter.wait([position], LONG_MS)).outcome).toBe('dead letter');
    await pool.query(`update ingest.dead_letter set state = 'replayed', settled_at = now()`);
    expect((await waiter.wait([position], LONG_MS)).outcome).toBe('visible');
  });

  it('is not visible in a replica that lags behind', async () => {
    const position = await ingest('replicated', world);
    await drain(pool, registry);
    expect((await waiter.wait([position], LONG_MS)).outcome).toBe('visible');
    const behind = positionWaiter(replica.pool);
    expect((await behind.wait([position], 60)).outcome).toBe('not yet');
    const waiting = behind.wait([position], LONG_MS);
    await replica.pool.query('insert into ingest.position values ($1, $2, $3, $4)', [
      'test',
      position.topic,
      position.partition,
      position.offset + 1,
    ]);
    expect((await waiting).outcome).toBe('visible');
  });
});

describe('an event that changes dependents of dependents', () => {
  beforeEach(async () => {
    await ingest('bridges', bridged(OTHER_CLUSTER, 8, 0.9));
    await drain(pool, registry);
    expect(await isFiled()).toBe(true);
  });

  it('is visible when the wait ends, and not before', async () => {
    const position = await ingest('bridges', rival);
    let isOver = false;
    const waiting = waiter.wait([position], LONG_MS).then(async (waited) => {
      isOver = true;
      return { ...waited, wasFiled: await isFiled() };
    });
    let steps = 0;
    for (; await isAnythingMarked(); steps++) {
      // A new reader waits as well.
      expect((await waiter.wait([position], 60)).outcome).toBe('not yet');
      expect({ steps, isOver, isFiled: await isFiled() }).toEqual({ steps, isOver: false, isFiled: true });
      expect(await projectOnce()).toBeGreaterThan(0);
    }
    expect(steps).toBe(3);
    expect(await waiting).toMatchObject({ outcome: 'visible', wasFiled: false });
    expect(await projectOnce()).toBe(0);
  });

  it('becomes visible under continuous writes and projections', async () => {
    const ending = new AbortController();
    const busy = (async () => {
      for (let events = 1; !ending.signal.aborted; events++) {
        await ingest(
          'busy',
          write(performingEntity, { cluster_id: CLUSTER, slug: 'mono', distinct_events: events }),
        );
        await projectOnce();
      }
    })();
    try {
      const position = await ingest('bridges', rival);
      expect((await waiter.wait([position], LONG_MS)).outcome).toBe('visible');
      expect(await isFiled()).toBe(false);
    } finally {
      ending.abort();
      await busy;
    }
  });
});

describe('waiting readers', () => {
  it('share polls of the database', async () => {
    const position = await ingest('shared', world);
    await drain(pool, registry);
    const count = countPolls();
    const waited = await Promise.all(Array.from({ length: 50 }, () => waiter.wait([position], LONG_MS)));
    expect(waited.every(({ outcome: sight }) => sight === 'visible')).toBe(true);
    expect(count()).toBe(1);
  });

  it('survive a failed poll', async () => {
    const position = await ingest('failing', world);
    await drain(pool, registry);
    vi.spyOn(pool, 'query').mockImplementationOnce(() => Promise.reject(new Error('lost')) as never);
    const failures: unknown[] = [];
    const patient = positionWaiter(pool, (error) => failures.push(error));
    expect((await patient.wait([position], LONG_MS)).outcome).toBe('visible');
    expect(failures).toEqual([new Error('lost')]);
  });

  it('stop waiting when they abort, when there are too many, and when the waiter stops', async () => {
    const never = [{ topic: 'never.seen.festival', partition: 0, offset: 0 }];
    const narrow = positionWaiter(pool, undefined, 1);
    const leaving = new AbortController();
    const first = narrow.wait(never, LONG_MS, leaving.signal);
    expect(await narrow.wait(never, LONG_MS)).toEqual({ outcome: 'not yet', waitedMs: 0 });
    leaving.abort();
    expect((await first).outcome).toBe('not yet');
    const second = narrow.wait(never, LONG_MS);
    narrow.stop();
    expect((await second).outcome).toBe('not yet');
    expect(await narrow.wait(never, LONG_MS)).toEqual({ outcome: 'not yet', waitedMs: 0 });
  });
});
