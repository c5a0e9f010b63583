import { describe, expect, it } from 'vitest';
import { projectOne } from '../../../test/support/projections/project-one.ts';
import { CATALOG_ID, CLUSTER, rowsOf, type SourceRows } from '../../../test/support/rows/source-rows.ts';
import { catalogArtist } from '../../contracts/catalog/artist.ts';
import { clusterAliasV1 } from '../../contracts/mirror/cluster-alias-v1.ts';
import { clusterAuthorityIdsV1 } from '../../contracts/mirror/cluster-authority-ids-v1.ts';
import { artistIdentityBridge } from '../../contracts/seen/artist-identity-bridge.ts';
import { artistWebPresence } from '../../contracts/seen/artist-web-presence.ts';
import { performingEntity } from '../../contracts/seen/performing-entity.ts';
import { subjectRef } from '../../engine/projection.ts';
import type { SubjectRef } from '../../engine/rows.ts';
import { type Identity, isCatalogIdentity, readIdentity, storedIdentity } from './identity.ts';
import { identityProjection } from './project.ts';

const MBID = '0f0e0d0c-0b0a-4908-8706-050403020100';
const OTHER_MBID = '1f0e0d0c-0b0a-4908-8706-050403020100';
const artist = subjectRef('catalog-artist', CATALOG_ID);
const cluster = subjectRef('artist', CLUSTER);
const bind = { catalog_artist_id: CATALOG_ID, catalog_artist_id_count: 1 };

async function project(key: SubjectRef, ...given: readonly SourceRows[]) {
  const projected = await projectOne(identityProjection, key, ...given);
  if (projected.document === null) throw new Error(`no document of ${key}`);
  const identity: Identity = JSON.parse(projected.document.body().toString());
  const ranks = Object.fromEntries(projected.document.lookupKeys.map(({ value, rank }) => [value, rank]));
  return { identity, ranks, lookupKeys: projected.document.lookupKeys };
}

describe('an identity that is stored', () => {
  it('is found by its cluster without reading the whole row', async () => {
    const bound = rowsOf(artistIdentityBridge, bind);
    const named = rowsOf(catalogArtist, { name: 'Mono', slug: 'mono' });
    for (const [key, clusterId, ...rows] of [
      [cluster, CLUSTER, bound],
      [artist, CLUSTER, named, bound],
      [artist, null, named],
    ] as const) {
      const { identity } = await project(key, ...rows);
      const stored = storedIdentity(key, JSON.stringify(identity));
      expect(stored.clusterId).toBe(clusterId);
      expect(isCatalogIdentity(stored)).toBe(key === artist);
      expect(readIdentity(stored)).toEqual(identity);
    }
  });

  it('must start with its cluster id', () => {
    expect(() => storedIdentity(cluster, '{"slug":null,"cluster_id":null}')).toThrow(
      'does not start with cluster_id',
    );
  });
});

/** From best to worst rank. */
const inOrder = (ranks: Readonly<Record<string, number>>): string[] =>
  Object.entries(ranks)
    .toSorted(([, a], [, b]) => a - b)
    .map(([key]) => key);

describe('the lookup keys of a cluster', () => {
  it('to pages rank by source and confidence', async () => {
    const { ranks, identity } = await project(
      cluster,
      rowsOf(
        clusterAuthorityIdsV1,
        { scheme: 'storefront', value: 'doubted', confidence: 0.3, verified: false },
        { scheme: 'storefront', value: 'likely', confidence: 0.9, verified: false },
        { scheme: 'storefront', value: 'verified', confidence: 0, verified: true },
        { scheme: 'storefront', value: 'certain', confidence: 7, verified: true },
      ),
      rowsOf(artistWebPresence, {
        storefront_url: 'https://declared.bandcamp.com',
        website_url: 'https://doubted.bandcamp.com',
      }),
    );
    expect(inOrder(ranks)).toEqual([
      `cluster:${CLUSTER}`,
      `artist:${CLUSTER}`,
      'storefront:certain',
      'storefront:verified',
      'storefront:likely',
      'storefront:doubted',
      'storefront:declared',
    ]);
    expect(identity.locators.storefront).toEqual([
      'certain',
      'verified',
      'likely',
      'doubted',
      'declared.bandcamp.com',
    ]);
  });

  it('to ids of the metadata database come from its bridge and its authority, if valid', async () => {
    const { ranks, identity } = await project(
      cluster,
      rowsOf(artistIdentityBridge, { ...bind, mbid: MBID, is_exact: true, confidence: 0.9 }),
      rowsOf(
        clusterAuthorityIdsV1,
        { scheme: 'mbid', value: OTHER_MBID.toUpperCase(), confidence: 0.9, verified: false },
        { scheme: 'mbid', value: 'no uuid', confidence: 1, verified: true },
      ),
    );
    expect(inOrder(ranks)).toEqual([
      `cluster:${CLUSTER}`,
      `artist:${CLUSTER}`,
      `mbid:${MBID}`,
      `catalog:${CATALOG_ID}`,
      `mbid:${OTHER_MBID}`,
    ]);
    expect(identity.locators).toMatchObject({ catalog: CATALOG_ID, mbid: MBID });
  });

  it('exclude unverified catalogue ids and those of over-merges', async () => {
    const ids = rowsOf(
      clusterAuthorityIdsV1,
      { scheme: 'catalog', value: '0045', verified: true },
      { scheme: 'catalog', value: '46', verified: false },
      { scheme: 'catalog', value: 'a47', verified: true },
      { scheme: 'catalog', value: '99999999999999999999', verified: true },
    );
    expect(Object.keys((await project(cluster, ids)).ranks)).toEqual([
      `cluster:${CLUSTER}`,
      `artist:${CLUSTER}`,
      'catalog:45',
    ]);
    const overMerged = rowsOf(artistIdentityBridge, { ...bind, catalog_artist_id_count: 2 });
    const { ranks, identity } = await project(cluster, ids, overMerged);
    expect(Object.keys(ranks)).toEqual([`cluster:${CLUSTER}`, `artist:${CLUSTER}`]);
    expect(identity.locators.catalog).toBeNull();
  });

  it('to clusters are its own id and those merged into it', async () => {
    const merged = 'ab'.repeat(32);
    const { ranks } = await project(cluster, rowsOf(clusterAliasV1, { alias: merged.toUpperCase() }));
    expect(inOrder(ranks)).toEqual([
      `cluster:${CLUSTER}`,
      `artist:${CLUSTER}`,
      `cluster:${merged}`,
      `artist:${merged}`,
      `name:${merged}`,
    ]);
  });

  it('omit blank names and cap the number of events', async () => {
    const { lookupKeys } = await project(
      cluster,
      rowsOf(performingEntity, { name: 'Mono', distinct_events: 2 ** 40 }),
      rowsOf(clusterAliasV1, { alias: ' \u200e' }),
    );
    expect(lookupKeys).toEqual([
      { value: `cluster:${CLUSTER}`, rank: 0, support: 0 },
      { value: `artist:${CLUSTER}`, rank: 1, support: 0 },
      { value: 'name:mono', rank: 4, support: 2 ** 31 - 1 },
    ]);
  });
});

describe('the lookup keys of a catalogue artist', () => {
  it('are its own and those of its bound cluster', async () => {
    const { ranks, identity } = await project(
      artist,
      rowsOf(catalogArtist, {
        name: 'Mono (2)',
        aliases: ['Monophonic'],
        urls: ['https://listed.example', 'https://soundcloud.com/given'],
      }),
      rowsOf(artistIdentityBridge, { ...bind, mbid: MBID, is_exact: true }),
      rowsOf(clusterAuthorityIdsV1, { scheme: 'audioshare', value: 'given', verified: true }),
      rowsOf(artistWebPresence, { website_url: 'https://declared.example' }),
    );
    expect(Object.keys(ranks).sort()).toEqual(
      [
        `artist:${CLUSTER}`,
        `catalog:${CATALOG_ID}`,
        `mbid:${MBID}`,
        'audioshare:given',
        'website:declared.example',
        'website:listed.example',
        'name:mono',
        'name:mono (2)',
        'name:monophonic',
      ].sort(),
    );
    expect(ranks['website:listed.example']).toBeLessThan(ranks['website:declared.example'] ?? 0);
    expect(identity).toMatchObject({ cluster_id: CLUSTER, resolved_via: 'catalog' });
    expect(identity.locators).toMatchObject({
      audioshare: ['given'],
      website: ['listed.example', 'declared.example'],
    });
  });

  it('for ids and pages sort directly before equal ones of its cluster', async () => {
    const rows = [
      rowsOf(catalogArtist, { name: 'Mono' }),
      rowsOf(artistIdentityBridge, { ...bind, mbid: MBID, is_exact: true }),
      rowsOf(clusterAuthorityIdsV1, { scheme: 'audioshare', value: 'given', verified: true }),
    ];
    const [own, clusters] = [await project(artist, ...rows), await project(cluster, ...rows)];
    for (const key of [`mbid:${MBID}`, 'audioshare:given']) {
      const [first, second] = [own, clusters].map(({ lookupKeys }) =>
        lookupKeys.find(({ value }) => value === key),
      );
      expect(first?.rank).toBe(second?.rank);
      expect(second?.support).toBeLessThan(0);
      expect(first?.support).toBe((second?.support ?? 0) + 1);
    }
  });

  it('are only its own if its cluster is over-merged', async () => {
    const { ranks } = await project(
      artist,
      rowsOf(catalogArtist, { name: 'Mono' }),
      rowsOf(artistIdentityBridge, { ...bind, catalog_artist_id_count: 2, mbid: MBID }),
      rowsOf(clusterAuthorityIdsV1, { scheme: 'audioshare', value: 'given' }),
    );
    expect(ranks).toEqual({ [`catalog:${CATALOG_ID}`]: 0, 'name:mono': 0 });
  });
});
