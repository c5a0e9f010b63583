import { expect, it } from 'vitest';
import { catalogArtist } from '../../../projections/contracts/catalog/artist.ts';
import { catalogMaster } from '../../../projections/contracts/catalog/master.ts';
import { artistIdentityBridge } from '../../../projections/contracts/seen/artist-identity-bridge.ts';
import { performingEntity } from '../../../projections/contracts/seen/performing-entity.ts';
import { artistProjection } from '../../../projections/models/artist/project.ts';
import { masterProjection } from '../../../projections/models/master/project.ts';
import { loadSample } from '../../../test/support/ingest/load-sample.ts';
import { withQueryService } from '../../../test/support/query/service.ts';

const MINUTES = 60_000;

const { pool, get } = withQueryService({
  fill: (db, registry) =>
    loadSample(db, registry, [catalogArtist, catalogMaster, artistIdentityBridge, performingEntity]),
  projections: [artistProjection, masterProjection],
  tier: 'unlimited',
});

interface Item {
  readonly catalogMasterId: number;
  readonly observed?: true;
  readonly _links: { readonly master?: string };
}

/** The discographies of all dossiers, by the path of the dossier. */
async function discographies(): Promise<Map<string, Item[]>> {
  const { rows } = await pool.query<{ key: string }>(`
    select coalesce(slug.address, substr(key, 8)) as key from read.artist document
      left join read.artist_address slug on slug.document = document.id and slug.rank = 0
    where key like 'artist:%' or slug.address is not null order by 1`);
  const found = new Map<string, Item[]>();
  for (const { key } of rows) {
    const path = `/api/v2/artist/${encodeURIComponent(key)}`;
    const { discography } = (await get(`${path}?fields=discography`)).json();
    if (discography.signals !== null) found.set(path, discography.signals.items);
  }
  return found;
}

/** Which of the paths lead to a release group, by the lookup keys of the database. */
async function opening(paths: readonly string[]): Promise<string[]> {
  const { rows } = await pool.query<{ path: string }>({
    text: `
      select path from unnest($1::text[], $2::text[], $3::text[]) link (path, artist, master)
      where exists (
        select from read.master_address where address = coalesce(
          (select key from read.artist_address join read.artist on id = document
           where address = link.artist order by rank limit 1), 'artist:' || link.artist) || '/' || link.master)`,
    values: [
      paths,
      paths.map((path) => decodeURIComponent(path.split('/')[4] ?? '').toLowerCase()),
      paths.map((path) => path.split('/')[6] ?? ''),
    ],
  });
  return rows.map(({ path }) => path);
}

it(
  'every link of a discography opens its release group, which says the same of its bind',
  async () => {
    const all = await discographies();
    const paths = [...all.values()].flat().flatMap(({ _links: { master } }) => master ?? []);
    expect(paths.length).toBeGreaterThan(1_000);
    expect(new Set(paths).difference(new Set(await opening(paths)))).toEqual(new Set());

    const linked = [...all.values()].flatMap((items) => items.filter(({ _links }) => _links.master));
    const flagged = linked.filter(({ observed }) => observed);
    expect(flagged.length).toBeGreaterThan(0);
    const step = Math.ceil(linked.length / 300);
    for (const item of [...flagged.slice(0, 100), ...linked.filter((_, index) => index % step === 0)]) {
      const { present, master } = (await get(item._links.master ?? '')).json();
      expect(present, item._links.master).toBe(true);
      expect(master.header.masterId).toBe(item.catalogMasterId);
      expect(master.binding.observed, item._links.master).toBe(item.observed ?? false);
    }
  },
  5 * MINUTES,
);

it('no release group is linked under a cluster into which several artists folded', async () => {
  const { rows } = await pool.query<{ cluster: string }>(`
    select distinct subject as cluster from ingest.mirror
    where row::json->>'catalog_artist_id_count' > '1'
      and source = (select id from ingest.source where name = '${artistIdentityBridge.table}')`);
  expect(rows.length).toBeGreaterThan(0);
  for (const { cluster } of rows) {
    const { discography } = (await get(`/api/v2/artist/${cluster}?fields=discography`)).json();
    for (const { _links, observed } of (discography.signals?.items ?? []) as Item[])
      expect({ _links, observed }).toEqual({ _links: {}, observed: true });
  }
});
