import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { deliveries } from '../../test/delivery.ts';
import type { Deed } from '../../test/history/history.ts';
import { CLUSTER, OTHER_CLUSTER, rowsOf } from '../../test/rows/source-rows.ts';
import { withDatabase } from '../../test/services/database.ts';
import { ingestBatch } from '../../workers/ingest/ingest-batch.ts';
import { rebuild } from '../../workers/project/build-version.ts';
import { drain } from '../../workers/project/drain.ts';
import { drainBuckets } from '../../workers/project/drain-buckets.ts';
import { projectionByName, projections } from '../index.ts';
import { type Registry, registerSources } from '../registry.ts';
import type { RowOf } from '../sources/columns.ts';
import type { Source } from '../sources/contract.ts';
import { artistIdentityBridge } from '../sources/seen/artist-identity-bridge.ts';
import { performingEntity } from '../sources/seen/performing-entity.ts';
import { storefrontItem } from '../sources/storefront/item.ts';
import { keptVersions, viewOf } from '../store/version.ts';
import type { LogPosition } from './position.ts';
import { type PositionWaiter, positionWaiter } from './wait-visible.ts';

/** Far longer than any wait here takes. */
const LONG_MS = 30_000;
const ITEM = 'i1';
const ADDRESS = `catalog-artist:7/${ITEM}`;

const write = <S extends Source>(source: S, row: Partial<RowOf<S['columns']>>): Deed[] =>
  rowsOf(source, row).rows.map((whole) => ({ source, kind: 'write', row: whole, unavailable: [] }));

const bridged = (cluster: string, artist: number, confidence: number): Deed[] =>
  write(artistIdentityBridge, { cluster_id: cluster, catalog_artist_id: artist, confidence, is_exact: true });

const world: Deed[] = [
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
const done: Deed[] = [];
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

function* always(number: number): Generator<number> {
  for (;;) yield number;
}

/** Writes, each newer than all before, in one batch. Answers where the last of them stands in the log. */
async function ingest(topic: string, deeds: readonly Deed[]): Promise<LogPosition> {
  const records = deeds.flatMap((deed) => {
    done.push(deed);
    const delivery = deliveries(done, always(1), registry).find((one) =>
      one.topic.endsWith(deed.source.table),
    );
    return delivery?.batches.flatMap((batch) => batch.records).slice(-1) ?? [];
  });
  const place = { group: 'test', topic, partition: partitions++ };
  await ingestBatch(pool, registry, place, records, null, records.length);
  return { topic, partition: place.partition, offset: records.length - 1 };
}

/** Whether the release is found under the catalogue artist. */
async function isFiled(): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from ${viewOf('storefront-release')}_address where address = $1`,
    [ADDRESS],
  );
  return rowCount === 1;
}

/** Projects what is marked now, and not what that marks. */
async function projectOnce(): Promise<number> {
  let marks = 0;
  for (const version of await keptVersions(pool)) {
    const projection = projectionByName.get(version.projection);
    if (projection === undefined) throw new Error(`there is no projection ${version.projection}`);
    const { rows } = await pool.query<{ bucket: number }>(
      'select distinct bucket from projection.mark where version = $1 order by bucket desc',
      [version.id],
    );
    // One alone at a time, as where other projectors hold those of what is touched; in this order what one touches is in
    // none that follows.
    for (const { bucket } of rows) {
      const take = { rows: 10_000, documents: 10_000 };
      const drained = await drainBuckets(pool, projection, [version], [bucket], registry, take);
      marks += drained.busy ? 0 : drained.marks;
    }
  }
  return marks;
}

async function isAnythingMarked(): Promise<boolean> {
  const { rowCount } = await pool.query('select from projection.mark limit 1');
  return rowCount === 1;
}

const looks = () => {
  const spy = vi.spyOn(pool, 'query');
  return () =>
    spy.mock.calls.filter(([query]) => (query as { name?: string }).name === 'look-for-positions').length;
};

describe('a position', () => {
  it('is visible when the records before it and its own are applied and projected', async () => {
    const position = await ingest('short', world);
    await drain(pool, registry);
    const beyond = { ...position, offset: position.offset + 1 };
    const waited = await waiter.wait([beyond], 120);
    expect(waited.sight).toBe('not yet');
    expect(waited.waitedMs).toBeGreaterThan(100);
    expect((await waiter.wait([position], LONG_MS)).sight).toBe('visible');
    expect((await waiter.wait([position, beyond], 60)).sight).toBe('not yet');
    expect((await waiter.wait([{ ...position, topic: 'nope' }], 60)).sight).toBe('not yet');
  });

  it('is looked for once where there is no time to wait', async () => {
    const position = await ingest('hasty', world);
    await drain(pool, registry);
    const both = [position, { ...position, offset: position.offset + 1 }];
    const waited = await Promise.all(both.map((one) => waiter.wait([one], 0)));
    expect(waited.map(({ sight }) => sight)).toEqual(['visible', 'not yet']);
  });

  it('is waited for until it is applied, whatever group applies it', async () => {
    await drain(pool, registry);
    const waiting = waiter.wait([{ topic: 'later', partition: 3, offset: 5 }], LONG_MS);
    const place = { group: 'another', topic: 'later', partition: 3 };
    await ingestBatch(pool, registry, place, [], null, 5);
    await ingestBatch(pool, registry, place, [], 5, 6);
    expect((await waiting).sight).toBe('visible');
  });

  it('is refused where its record is a dead letter, until that is dealt with', async () => {
    const position = await ingest('refused', world);
    await drain(pool, registry);
    await pool.query(
      `insert into ingest.dead_letter (topic, partition, record_offset, headers, violations, class)
       values ($1, $2, $3, '{}', '[]', 'contract')`,
      [position.topic, position.partition, position.offset],
    );
    expect((await waiter.wait([position], LONG_MS)).sight).toBe('refused');
    expect((await waiter.wait([{ ...position, offset: 0 }], LONG_MS)).sight).toBe('visible');
    expect((await waiter.wait([position], LONG_MS)).sight).toBe('refused');
    await pool.query(`update ingest.dead_letter set state = 'replayed', settled_at = now()`);
    expect((await waiter.wait([position], LONG_MS)).sight).toBe('visible');
  });

  it('is not visible where the database that is read lags behind', async () => {
    const position = await ingest('replicated', world);
    await drain(pool, registry);
    expect((await waiter.wait([position], LONG_MS)).sight).toBe('visible');
    const behind = positionWaiter(replica.pool);
    expect((await behind.wait([position], 60)).sight).toBe('not yet');
    const waiting = behind.wait([position], LONG_MS);
    await replica.pool.query('insert into ingest.position values ($1, $2, $3, $4)', [
      'test',
      position.topic,
      position.partition,
      position.offset + 1,
    ]);
    expect((await waiting).sight).toBe('visible');
  });
});

describe('an event whose effect goes from document to document', () => {
  beforeEach(async () => {
    await ingest('bridges', bridged(OTHER_CLUSTER, 8, 0.9));
    await drain(pool, registry);
    expect(await isFiled()).toBe(true);
  });

  it('is visible when the wait for it ends, and not before', async () => {
    const position = await ingest('bridges', rival);
    let isOver = false;
    const waiting = waiter.wait([position], LONG_MS).then(async (waited) => {
      isOver = true;
      return { ...waited, wasFiled: await isFiled() };
    });
    let steps = 0;
    for (; await isAnythingMarked(); steps++) {
      // Whoever asks anew waits as well.
      expect((await waiter.wait([position], 60)).sight).toBe('not yet');
      expect({ steps, isOver, isFiled: await isFiled() }).toEqual({ steps, isOver: false, isFiled: true });
      expect(await projectOnce()).toBeGreaterThan(0);
    }
    expect(steps).toBe(3);
    expect(await waiting).toMatchObject({ sight: 'visible', wasFiled: false });
    expect(await projectOnce()).toBe(0);
  });

  it('is visible soon, though more is written and projected all the while', async () => {
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
    const position = await ingest('bridges', rival);
    expect((await waiter.wait([position], LONG_MS)).sight).toBe('visible');
    expect(await isFiled()).toBe(false);
    ending.abort();
    await busy;
  });
});

describe('readers who wait', () => {
  it('share their looks at the database', async () => {
    const position = await ingest('shared', world);
    await drain(pool, registry);
    const count = looks();
    const waited = await Promise.all(Array.from({ length: 50 }, () => waiter.wait([position], LONG_MS)));
    expect(waited.every(({ sight }) => sight === 'visible')).toBe(true);
    expect(count()).toBe(1);
  });

  it('outlast a look that fails', async () => {
    const position = await ingest('failing', world);
    await drain(pool, registry);
    vi.spyOn(pool, 'query').mockImplementationOnce(() => Promise.reject(new Error('lost')) as never);
    const failures: unknown[] = [];
    const patient = positionWaiter(pool, (error) => failures.push(error));
    expect((await patient.wait([position], LONG_MS)).sight).toBe('visible');
    expect(failures).toEqual([new Error('lost')]);
  });

  it('are let go when they leave, when there are too many, and when the waiting ends', async () => {
    const never = [{ topic: 'never', partition: 0, offset: 0 }];
    const narrow = positionWaiter(pool, undefined, 1);
    const leaving = new AbortController();
    const first = narrow.wait(never, LONG_MS, leaving.signal);
    expect(await narrow.wait(never, LONG_MS)).toEqual({ sight: 'not yet', waitedMs: 0 });
    leaving.abort();
    expect((await first).sight).toBe('not yet');
    const second = narrow.wait(never, LONG_MS);
    narrow.stop();
    expect((await second).sight).toBe('not yet');
    expect(await narrow.wait(never, LONG_MS)).toEqual({ sight: 'not yet', waitedMs: 0 });
  });
});
