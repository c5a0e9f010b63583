import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { catalogMaster } from '../../../projections/contracts/catalog/master.ts';
import { type Registry, registerSources } from '../../../projections/engine/registry.ts';
import { changeRecord, clearIngest, decodedRecord } from '../../../test/support/ingest/dead-letters.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import { ingestBatch, type RecordBatch } from './ingest-batch.ts';

const TABLES = [
  'ingest.mirror',
  'ingest.link',
  'ingest.position',
  'ingest.dead_letter',
  'ingest.record_count',
  'ingest.source',
  'projection.mark',
];

describe('a batch that fails half-way', () => {
  const { pool } = withDatabase();
  let registry: Registry;

  beforeAll(async () => {
    await pool.query(`
      create function power_cut() returns trigger language plpgsql as $$ begin raise exception 'power cut'; end $$`);
  });

  beforeEach(async () => {
    await clearIngest(pool);
    await pool.query('delete from projection.version');
    registry = await registerSources(pool);
    await apply({ from: null, to: 5 }, ['one', 'one']);
    // After the first delivery of the tables, which marks all documents dirty.
    await pool.query(
      `insert into projection.version (projection, state, code_version) values ('master', 'building', 'v')`,
    );
  });

  /** Applies a batch of rows of which one is a dead letter. */
  const apply = (batch: Pick<RecordBatch, 'from' | 'to'>, titles: readonly [unknown, unknown]) => {
    const records = titles.map((title, index) => {
      const id = index + 1;
      const fields = { source: catalogMaster, key: { master_id: id }, lsn: batch.to * 10 + index };
      return decodedRecord(
        changeRecord({ ...fields, row: { title, catalog_artist_ids: [id, batch.to] } }),
        registry,
      );
    });
    return ingestBatch(pool, registry, {
      ...batch,
      topicPartition: { group: 'g', topic: 't', partition: 0 },
      records,
    });
  };

  const contents = () =>
    Promise.all(
      TABLES.map(async (table) => [table, (await pool.query(`select * from ${table} order by 1, 2`)).rows]),
    );

  it.each(TABLES)('at its write to %s, leaves no trace and can be applied again', async (table) => {
    const before = await contents();
    await pool.query(
      `create trigger power_cut before insert or update on ${table} execute function power_cut()`,
    );
    await expect(apply({ from: 5, to: 6 }, ['two', 12])).rejects.toThrow('power cut');
    await pool.query(`drop trigger power_cut on ${table}`);
    expect(await contents()).toEqual(before);
    expect(await apply({ from: 5, to: 6 }, ['two', 12])).toMatchObject({
      ...{ read: 2, applied: 1, changed: 1, deadLetters: 1 },
    });
  });
});
