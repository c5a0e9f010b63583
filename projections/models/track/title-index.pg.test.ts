import { beforeAll, describe, expect, it } from 'vitest';
import { withDatabase } from '../../../test/support/services/database.ts';
import type { Projection } from '../../engine/projection.ts';
import { createVersion } from '../../engine/store/create-version.ts';
import { indexLookupKeys } from '../../engine/store/index-lookup-keys.ts';
import { lookupTable } from '../../engine/store/version.ts';
import { mbTrackProjection } from '../mb-track/project.ts';
import { storefrontTrackProjection } from '../storefront-track/project.ts';
import type { TrackCorpus } from './document.ts';
import { TITLE_TEXT_OFFSET, TRACK_RANK, trackLookupKeys } from './lookup-keys.ts';
import { TITLE_BANDS, TITLE_TEXT } from './title-index.ts';

const { pool } = withDatabase();
const tables = new Map<TrackCorpus, string>();
const corpora: readonly (readonly [TrackCorpus, Projection])[] = [
  ['mb', mbTrackProjection],
  ['storefront', storefrontTrackProjection],
];

beforeAll(async () => {
  for (const [corpus, projection] of corpora) {
    const version = await createVersion(pool, projection);
    if (version === null) throw new Error(`${projection.name} has a version already`);
    // The second one finds it done.
    await Promise.all([
      indexLookupKeys(pool, version, projection),
      indexLookupKeys(pool, version, projection),
    ]);
    const table = lookupTable(version);
    tables.set(corpus, table);
    // So many that a full scan would be expensive.
    await pool.query(
      `insert into ${table} (address, rank, support, document)
       select 'title:' || substr(md5(number::text), 1, 16) || ':song ' || number, 0, 1 << number % 11, gen_random_uuid()
       from generate_series(1, 20000) number`,
    );
    await pool.query(`vacuum analyze ${table}`);
  }
});

describe.each(corpora)('the bands of titles of %s', (corpus) => {
  const bands = TITLE_BANDS[corpus];

  it('contain each title once, and nothing else', async () => {
    const inBands = bands.map((band) => `(${band})::int`).join(' + ');
    const { rows } = await pool.query<{ rank: number; support: number; bands: number }>(
      `select rank, support, ${inBands} as bands
       from unnest(array[${Object.values(TRACK_RANK)}]) rank
         cross join unnest(array[0, 1, 2, 3, 4, 7, 8, 63, 64, 511, 512, 2147483647]) support`,
    );
    expect(rows).toHaveLength(36);
    for (const row of rows)
      expect(row, `${row.support}`).toMatchObject({ bands: row.rank === TRACK_RANK.title ? 1 : 0 });
  });

  it('are each searched by their own index', async () => {
    const used = new Set<string>();
    const client = await pool.connect();
    try {
      await client.query('begin; set local enable_seqscan = off; set local enable_indexscan = off');
      for (const band of bands) {
        const { rows } = await client.query<Record<'QUERY PLAN', string>>(
          `explain select document from ${tables.get(corpus)} where ${band} and ${TITLE_TEXT} like '%ng 471%'`,
        );
        const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
        const [, index] = /Bitmap Index Scan on (\w*_address_\d+) /.exec(plan) ?? [];
        expect(index, plan).toBeDefined();
        used.add(index ?? '');
      }
      expect(used.size).toBe(bands.length);
    } finally {
      await client.query('rollback');
      client.release();
    }
  });
});

it('read the text of a title at its offset in the lookup key', async () => {
  const [title] = trackLookupKeys([{ credit: 'Björk', title: 'Jóga (Live)', support: 1 }], false);
  const { rows } = await pool.query(`select ${TITLE_TEXT} as text from (select $1::text as address) lookup`, [
    title?.value,
  ]);
  expect(rows).toEqual([{ text: 'jóga (live)' }]);
  expect(title?.value.slice(TITLE_TEXT_OFFSET)).toBe('jóga (live)');
});
