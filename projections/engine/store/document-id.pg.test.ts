import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { fillArtists } from '../../../test/support/projections/artists.ts';
import { documentsOf } from '../../../test/support/projections/documents.ts';
import { rebuild } from '../../../test/support/projections/rebuild.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import { artistProjection } from '../../models/artist/project.ts';
import { mbTrackProjection } from '../../models/mb-track/project.ts';
import { searchProjection } from '../../models/search/project.ts';
import { registerSources } from '../registry.ts';
import { documentId } from './document-id.ts';
import { documentTable, lookupTable, type Version, viewOf } from './version.ts';

const { pool } = withDatabase();
/** Roles belong to the whole server. */
const READER = `reader_${randomBytes(4).toString('hex')}`;

afterAll(() => pool.query(`drop owned by ${READER}; drop role ${READER}`));

it.each(['artist:00', 'festival:zürich', 'storefront-item:\\x00', 'label:𝄞', ''])(
  'the id of %j is the same in SQL',
  async (key) => {
    const { rows } = await pool.query<{ id: string }>('select projection.document_id($1) as id', [key]);
    expect(rows[0]?.id.replaceAll('-', '')).toBe(documentId(key).toString('hex'));
  },
);

describe('versions that identify their documents by key', () => {
  it('are migrated to the form of new ones', async () => {
    const registry = await registerSources(pool);
    await fillArtists(pool, registry, 5);
    const versions: Version[] = [];
    for (const projection of [artistProjection, mbTrackProjection, searchProjection])
      versions.push(await rebuild(pool, projection, registry));
    const before = await Promise.all(versions.map(formOf));
    expect(before[0]?.documents.size).toBeGreaterThanOrEqual(5);
    const [up = '', down = ''] = await halvesOf('0023_document_ids');
    await pool.query(down);
    const { rows } = await pool.query('select * from read.artist limit 1');
    expect(Object.keys(rows[0] ?? {})).toEqual(['key', 'hash', 'body']);
    await pool.query(`create role ${READER}; grant select on read.artist to ${READER}`);
    await pool.query(up);
    for (const view of ['read.artist', 'read.artist_address'])
      expect(
        (await pool.query('select has_table_privilege($1, $2, $3) as may', [READER, view, 'select'])).rows,
      ).toEqual([{ may: true }]);
    expect(await Promise.all(versions.map(formOf))).toEqual(before);
  });
});

async function halvesOf(migration: string): Promise<string[]> {
  const text = await readFile(new URL(`../../../db/migrations/${migration}.sql`, import.meta.url), 'utf8');
  return text.split('-- Down Migration');
}

/** The contents of a version, its columns as the views list them, and its indexes. */
async function formOf(version: Version) {
  const tables = [documentTable(version), lookupTable(version)];
  const indexes = await pool.query<{ definition: string }>(
    `select substr(definition, strpos(definition, ' ON ')) as definition
     from (select pg_get_indexdef(indexrelid) as definition from pg_index where indrelid = any($1::regclass[])) all_of
     order by 1`,
    [tables],
  );
  const view = viewOf(version.projection);
  const columns = await pool.query<{ name: string }>(
    `select attrelid::regclass || ' ' || attname || ' ' || attnum as name from pg_attribute
     where attrelid = any($1::regclass[]) and attnum > 0 order by attrelid, attnum`,
    [[view, `${view}_address`]],
  );
  const triggers = await pool.query<{ state: string }>(
    `select tgname || ' ' || tgenabled::text as state from pg_trigger where tgrelid = $1::regclass order by 1`,
    [documentTable(version)],
  );
  return {
    documents: await documentsOf(pool, version),
    indexes: indexes.rows,
    columns: columns.rows,
    triggers: triggers.rows,
  };
}
