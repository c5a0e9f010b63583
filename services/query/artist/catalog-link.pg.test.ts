import { beforeEach, expect, it } from 'vitest';
import { catalogArtist } from '../../../projections/contracts/catalog/artist.ts';
import { catalogArtistBehavior } from '../../../projections/contracts/catalog/artist-behavior.ts';
import { artistIdentityBridge } from '../../../projections/contracts/seen/artist-identity-bridge.ts';
import { performingEntity } from '../../../projections/contracts/seen/performing-entity.ts';
import { liveVersion } from '../../../projections/engine/store/version.ts';
import { artistProjection } from '../../../projections/models/artist/project.ts';
import { changeDeliverer } from '../../../test/support/ingest/deliver-change.ts';
import { differingKeys, documentsOf } from '../../../test/support/projections/documents.ts';
import { rebuild } from '../../../test/support/projections/rebuild.ts';
import { withQueryService } from '../../../test/support/query/service.ts';
import { CATALOG_ID, CLUSTER, OTHER_CLUSTER } from '../../../test/support/rows/source-rows.ts';

const BIND = { cluster_id: CLUSTER, catalog_artist_id_count: 1, is_exact: true };

const { pool, get, registry } = withQueryService({ projections: [artistProjection] });
const change = changeDeliverer(pool, registry);

const linkOf = async (cluster: string): Promise<string | undefined> =>
  (await get(`/api/v2/artist/${cluster}`)).json()._links.catalog;

beforeEach(async () => {
  await change(performingEntity, { cluster_id: CLUSTER });
  await change(catalogArtist, { slug: 'Mono' });
  await change(artistIdentityBridge, BIND);
});

it('the cluster of a catalogue artist links to the dossier of the catalogue, whatever came first', async () => {
  expect(await linkOf(CLUSTER)).toBe('/api/v2/artist/mono');
  await change(catalogArtist, {}, 'delete');
  expect(await linkOf(CLUSTER)).toBeUndefined();
  await change(catalogArtist, { slug: 'mono' });
  expect(await linkOf(CLUSTER)).toBe('/api/v2/artist/mono');
  const catalog = (await get('/api/v2/artist/mono')).json();
  expect(catalog).toMatchObject({ id: CATALOG_ID, resolved_via: 'catalog' });
  expect(catalog._links).toEqual({ self: '/api/v2/artist/mono', cluster: `/api/v2/artist/${CLUSTER}` });
});

it('the link follows the slug and the bind of the artist', async () => {
  await change(catalogArtist, { slug: 'mono-jp' });
  expect(await linkOf(CLUSTER)).toBe('/api/v2/artist/mono-jp');
  await change(catalogArtist, { catalog_artist_id: 8, slug: 'mono-uk' });
  await change(artistIdentityBridge, { ...BIND, catalog_artist_id: 8 });
  expect(await linkOf(CLUSTER)).toBe('/api/v2/artist/mono-uk');
  await change(catalogArtist, { catalog_artist_id: 8, slug: 'mono-gb' });
  expect(await linkOf(CLUSTER)).toBe('/api/v2/artist/mono-gb');
});

it('a bind that is not exact, or one of several, is no link', async () => {
  for (const loose of [{ is_exact: false }, { catalog_artist_id_count: 2 }, { catalog_artist_id: null }]) {
    await change(artistIdentityBridge, { ...BIND, ...loose });
    expect(await linkOf(CLUSTER)).toBeUndefined();
  }
  expect(await linkOf(OTHER_CLUSTER)).toBeUndefined();
});

it('only changes of the entry itself project the cluster again', async () => {
  await change(catalogArtistBehavior, { owner_reach: 40 });
  const behavior = await change(catalogArtistBehavior, { owner_reach: 50 });
  expect(behavior.changed + behavior.unchanged).toBe(1);
  const renamed = await change(catalogArtist, { slug: 'renamed' });
  // The entry, the catalogue artist and the cluster are marked; the entry has no document.
  expect(renamed).toMatchObject({ changed: 2, removed: 0 });
});

it('streamed documents equal rebuilt ones', async () => {
  await change(catalogArtist, { slug: 'mono-streamed' });
  const streamed = await liveVersion(pool, 'artist');
  if (streamed === null) throw new Error('artist is not live');
  const documents = await documentsOf(pool, streamed);
  const rebuilt = await rebuild(pool, artistProjection, registry());
  expect(documents.size).toBeGreaterThan(1);
  expect(differingKeys(await documentsOf(pool, rebuilt), documents)).toEqual([]);
});
