import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import { beforeAll, describe, expect, it } from 'vitest';
import { withDatabase } from '../../../test/support/services/database.ts';

const MIGRATIONS = fileURLToPath(new URL('../../../db/migrations', import.meta.url));
/** The number of migrations before dead letters had a state. */
const BEFORE = 6;

describe('dead letters from before they had a state', () => {
  const { pool, url } = withDatabase('empty');

  const migrate = (direction: 'up' | 'down', count: number) =>
    runner({
      databaseUrl: url,
      dir: MIGRATIONS,
      ignorePattern: '(\\..*|.*\\.md)',
      direction,
      count,
      migrationsTable: 'schema_migration',
      log: () => {},
    });

  async function select(columns: string): Promise<unknown[]> {
    const { rows } = await pool.query(`select ${columns} from ingest.dead_letter order by record_offset, id`);
    return rows;
  }

  beforeAll(async () => {
    await migrate('up', BEFORE);
    await pool.query(`
      insert into ingest.source (name) values ('seen.a');
      insert into ingest.dead_letter (source, topic, partition, record_offset, key, payload, headers, violations) values
        (null, 'p.x', 0, 1, '{"id":1}', 'é', '{"h": "v"}', '[{"field": "topic", "reason": "unknown_table"}]'),
        (1, 'p.seen.a', 0, 2, 'k2', null, '{}', '[{"field": "id", "reason": "missing"}]'),
        (1, 'p.seen.a', 0, 3, 'k3', '{', '{}', '[{"field": "value", "reason": "not_an_envelope"}]'),
        (1, 'p.seen.a', 0, 4, null, '{}', '{}', '[{"field": "key", "reason": "missing"}]'),
        (1, 'p.seen.a', 0, 5, 'k5', '{}', '{}', '[{"field": "title", "reason": "unavailable"}]')`);
    await migrate('up', 1);
  });

  it('are open, each with its class and its bytes', async () => {
    const bytes = Buffer.from('é');
    const open = { state: 'open', epoch: 0, record_key: null, key: null };
    expect(await select('class, table_name, state, epoch, key, record_key, payload, headers')).toEqual([
      {
        ...open,
        class: 'unknown-source',
        table_name: null,
        record_key: Buffer.from('{"id":1}'),
        payload: bytes,
        headers: { h: 'v' },
      },
      { ...open, class: 'contract', table_name: 'seen.a', key: 'k2', payload: null, headers: {} },
      {
        ...open,
        class: 'undecodable',
        table_name: 'seen.a',
        key: 'k3',
        payload: Buffer.from('{'),
        headers: {},
      },
      { ...open, class: 'undecodable', table_name: 'seen.a', payload: Buffer.from('{}'), headers: {} },
      {
        ...open,
        class: 'incomplete',
        table_name: 'seen.a',
        key: 'k5',
        payload: Buffer.from('{}'),
        headers: {},
      },
    ]);
  });

  it('can be migrated down as far as text can express them', async () => {
    await pool.query(`
      insert into ingest.dead_letter
        (topic, partition, record_offset, record_time, record_key, payload, headers, violations, class)
      values ('p.y', 0, 6, now(), '\\x00ff', '\\x00ff41', '{"h": "\\u0000"}', '[]', 'contract'),
        ('p.y', 0, 6, now() + interval '1 hour', null, null, '{}', '[]', 'contract')`);
    await migrate('down', 1);
    expect(await select('key, payload, headers')).toEqual([
      { key: '{"id":1}', payload: 'é', headers: { h: 'v' } },
      { key: 'k2', payload: null, headers: {} },
      { key: 'k3', payload: '{', headers: {} },
      { key: null, payload: '{}', headers: {} },
      { key: 'k5', payload: '{}', headers: {} },
      { key: '\\000\\377', payload: '\\000\\377A', headers: {} },
    ]);
    await migrate('up', 1);
    expect(await select('class')).toHaveLength(6);
  });
});
