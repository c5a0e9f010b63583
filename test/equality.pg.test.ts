import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { transaction } from '../db/transaction.ts';
import { projections } from '../projections/index.ts';
import { type Registry, registerSources } from '../projections/registry.ts';
import { addressTable, documentTable, liveVersion } from '../projections/store/version.ts';
import { ingestBatch } from '../workers/ingest/ingest-batch.ts';
import { rebuild } from '../workers/project/build-version.ts';
import { drain } from '../workers/project/drain.ts';
import { type Delivery, deliveries } from './delivery.ts';
import { differingKeys, documentsOf } from './documents.ts';
import { history } from './history/history.ts';
import { expectedRows, recompute } from './oracle.ts';
import { withDatabase } from './services/database.ts';

const RUNS = Number(process.env.EQUALITY_RUNS ?? 60);
const MOST_MS_A_RUN = 6_000;

describe('streamed, rebuilt and recomputed documents', () => {
  const database = withDatabase();
  let registry: Registry;

  beforeAll(async () => {
    registry = await registerSources(database.pool);
  });

  async function reset(): Promise<void> {
    await database.pool.query(`
      truncate ingest.mirror, ingest.link, ingest.position, ingest.dead_letter, projection.mark;
      update ingest.source set first_change_at = null, newest_change_at = null, truncated_version = null;`);
    // What a process remembers of a database is void when the database is emptied.
    registry = await registerSources(database.pool);
    for (const projection of projections) {
      const live = await liveVersion(database.pool, projection.name);
      if (live === null) await rebuild(database.pool, projection, registry);
      else await database.pool.query(`truncate ${documentTable(live)}, ${addressTable(live)}`);
    }
  }

  async function deliver({ topic, batches }: Delivery): Promise<void> {
    const place = { group: 'test', topic, partition: 0 };
    let position: number | null = null;
    for (const { records, drainAfter } of batches) {
      const to = (records.at(-1)?.record.offset ?? 0) + 1;
      await ingestBatch(database.pool, registry, place, records, position, to);
      position = to;
      if (drainAfter) await drain(database.pool, registry);
    }
  }

  it(
    'are equal, byte for byte, whatever the history and however it is delivered',
    async () => {
      await fc.assert(
        fc.asyncProperty(history, fc.infiniteStream(fc.nat(1_000_000)), async (deeds, chance) => {
          await reset();
          for (const delivery of deliveries(deeds, chance, registry)) await deliver(delivery);
          await drain(database.pool, registry);

          const rows = expectedRows(deeds);
          for (const projection of projections) {
            const streamed = await liveVersion(database.pool, projection.name);
            expect(streamed).not.toBeNull();
            if (streamed === null) return;
            const streamedDocuments = await documentsOf(database.pool, streamed);
            const rebuilt = await rebuild(database.pool, projection, registry);
            expect(differingKeys(await documentsOf(database.pool, rebuilt), streamedDocuments)).toEqual([]);
            expect(differingKeys(await recompute(projection, rows, registry), streamedDocuments)).toEqual([]);
          }
          const { rows: letters } = await database.pool.query('select violations from ingest.dead_letter');
          expect(letters).toEqual([]);
        }),
        { numRuns: RUNS },
      );
    },
    RUNS * MOST_MS_A_RUN,
  );

  it('leave no trace of a batch that fails half-way', async () => {
    await reset();
    const before = await database.pool.query('select count(*) from ingest.mirror');
    await expect(
      transaction(database.pool, async (client) => {
        await client.query(`insert into ingest.position values ('g', 't', 0, 5)`);
        throw new Error('power cut');
      }),
    ).rejects.toThrow('power cut');
    expect((await database.pool.query('select count(*) from ingest.position')).rows[0]?.count).toBe('0');
    expect((await database.pool.query('select count(*) from ingest.mirror')).rows).toEqual(before.rows);
  });
});
