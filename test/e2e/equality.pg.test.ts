import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Registry, registerSources } from '../../projections/engine/registry.ts';
import { documentTable, liveVersion, lookupTable } from '../../projections/engine/store/version.ts';
import { projections } from '../../projections/index.ts';
import { ingestBatch } from '../../workers/ingest/apply/ingest-batch.ts';
import { drain } from '../../workers/project/drain.ts';
import { history } from '../support/history/history.ts';
import { type Delivery, deliveries } from '../support/ingest/delivery.ts';
import { differingKeys, documentsOf } from '../support/projections/documents.ts';
import { expectedRows, recompute } from '../support/projections/oracle.ts';
import { rebuild } from '../support/projections/rebuild.ts';
import { withDatabase } from '../support/services/database.ts';

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
      else await database.pool.query(`truncate ${documentTable(live)}, ${lookupTable(live)}`);
    }
  }

  async function deliver({ topic, batches }: Delivery): Promise<void> {
    const place = { group: 'test', topic, partition: 0 };
    let position: number | null = null;
    for (const { records, drainAfter } of batches) {
      const to = (records.at(-1)?.record.offset ?? 0) + 1;
      await ingestBatch(database.pool, registry, { topicPartition: place, records, from: position, to });
      position = to;
      if (drainAfter) await drain(database.pool, registry);
    }
  }

  it(
    'are equal, byte for byte, whatever the history and however it is delivered',
    async () => {
      await fc.assert(
        fc.asyncProperty(history, fc.infiniteStream(fc.nat(1_000_000)), async (rowChanges, chance) => {
          await reset();
          for (const delivery of deliveries(rowChanges, chance, registry)) await deliver(delivery);
          await drain(database.pool, registry);

          const rows = expectedRows(rowChanges);
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
});
