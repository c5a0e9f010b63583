import { describe, expect, it } from 'vitest';
import { CATALOG_ID, CLUSTER, mirrorRows, rowsOf, type SourceRows } from '../../test/rows/source-rows.ts';
import { subjectRef } from '../projection.ts';
import type { SubjectRef } from '../rows.ts';
import { catalogArtist } from '../sources/catalog/artist.ts';
import { clusterAliasV1 } from '../sources/mirror/cluster-alias-v1.ts';
import { clusterAuthorityIdsV1 } from '../sources/mirror/cluster-authority-ids-v1.ts';
import { artistIdentityBridge } from '../sources/seen/artist-identity-bridge.ts';
import { artistWebPresence } from '../sources/seen/artist-web-presence.ts';
import { performingEntity } from '../sources/seen/performing-entity.ts';
import { type Identity, isOfCatalogue, readIdentity, storedIdentity } from './answer.ts';
import { identityProjection } from './project.ts';

const MBID = '0f0e0d0c-0b0a-4908-8706-050403020100';
const OTHER_MBID = '1f0e0d0c-0b0a-4908-8706-050403020100';
const artist = subjectRef('catalog-artist', CATALOG_ID);
const cluster = subjectRef('artist', CLUSTER);
const bind = { catalog_artist_id: CATALOG_ID, catalog_artist_id_count: 1 };

async function project(key: SubjectRef, ...given: readonly SourceRows[]) {
  const rows = mirrorRows(...given);
  const [projected] = await identityProjection.project([key], async () => rows, { idOf: () => 1 });
  if (!projected?.document) throw new Error(`no document of ${key}`);
  const identity: Identity = JSON.parse(projected.document.body().toString());
  const claims = Object.fromEntries(projected.document.addresses.map(({ address, rank }) => [address, rank]));
  return { identity, claims, addresses: projected.document.addresses };
}

describe('an identity that is stored', () => {
  it('is chosen by its cluster without being read whole', async () => {
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
      expect(isOfCatalogue(stored)).toBe(key === artist);
      expect(readIdentity(stored)).toEqual(identity);
    }
  });

  it('is none whose cluster is not what it begins with', () => {
    expect(() => storedIdentity(cluster, '{"slug":null,"cluster_id":null}')).toThrow('does not begin');
  });
});

/** From the best claim to the least. */
const inOrder = (claims: Readonly<Record<string, number>>): string[] =>
  Object.entries(claims)
    .toSorted(([, a], [, b]) => a - b)
    .map(([address]) => address);

describe('the claims of a cluster', () => {
  it('to pages go by whose word it is and how sure', async () => {
    const { claims, identity } = await project(
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
    expect(inOrder(claims)).toEqual([
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

  it('to ids of the metadata database are those of its bridge and its authority, if they are ids', async () => {
    const { claims, identity } = await project(
      cluster,
      rowsOf(artistIdentityBridge, { ...bind, mbid: MBID, is_exact: true, confidence: 0.9 }),
      rowsOf(
        clusterAuthorityIdsV1,
        { scheme: 'mbid', value: OTHER_MBID.toUpperCase(), confidence: 0.9, verified: false },
        { scheme: 'mbid', value: 'no uuid', confidence: 1, verified: true },
      ),
    );
    expect(inOrder(claims)).toEqual([
      `cluster:${CLUSTER}`,
      `artist:${CLUSTER}`,
      `mbid:${MBID}`,
      `catalog:${CATALOG_ID}`,
      `mbid:${OTHER_MBID}`,
    ]);
    expect(identity.locators).toMatchObject({ catalog: CATALOG_ID, mbid: MBID });
  });

  it('to catalogue ids are none that is not verified, or that folded into it with others', async () => {
    const ids = rowsOf(
      clusterAuthorityIdsV1,
      { scheme: 'catalog', value: '0045', verified: true },
      { scheme: 'catalog', value: '46', verified: false },
      { scheme: 'catalog', value: 'a47', verified: true },
      { scheme: 'catalog', value: '99999999999999999999', verified: true },
    );
    expect(Object.keys((await project(cluster, ids)).claims)).toEqual([
      `cluster:${CLUSTER}`,
      `artist:${CLUSTER}`,
      'catalog:45',
    ]);
    const overMerged = rowsOf(artistIdentityBridge, { ...bind, catalog_artist_id_count: 2 });
    const { claims, identity } = await project(cluster, ids, overMerged);
    expect(Object.keys(claims)).toEqual([`cluster:${CLUSTER}`, `artist:${CLUSTER}`]);
    expect(identity.locators.catalog).toBeNull();
  });

  it('to clusters are that to itself and to those that were merged into it', async () => {
    const merged = 'ab'.repeat(32);
    const { claims } = await project(cluster, rowsOf(clusterAliasV1, { alias: merged.toUpperCase() }));
    expect(inOrder(claims)).toEqual([
      `cluster:${CLUSTER}`,
      `artist:${CLUSTER}`,
      `cluster:${merged}`,
      `artist:${merged}`,
      `name:${merged}`,
    ]);
  });

  it('have room for no name that is blank, and for no more events than fit', async () => {
    const { addresses } = await project(
      cluster,
      rowsOf(performingEntity, { name: 'Mono', distinct_events: 2 ** 40 }),
      rowsOf(clusterAliasV1, { alias: ' \u200e' }),
    );
    expect(addresses).toEqual([
      { address: `cluster:${CLUSTER}`, rank: 0, support: 0 },
      { address: `artist:${CLUSTER}`, rank: 1, support: 0 },
      { address: 'name:mono', rank: 4, support: 2 ** 31 - 1 },
    ]);
  });
});

describe('the claims of a catalogue artist', () => {
  it('are its own and those of the cluster that is bound to it', async () => {
    const { claims, identity } = await project(
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
    expect(Object.keys(claims).sort()).toEqual(
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
    expect(claims['website:listed.example']).toBeLessThan(claims['website:declared.example'] ?? 0);
    expect(identity).toMatchObject({ cluster_id: CLUSTER, resolved_via: 'catalog' });
    expect(identity.locators).toMatchObject({
      audioshare: ['given'],
      website: ['listed.example', 'declared.example'],
    });
  });

  it('to ids and pages come right before those of its cluster where they are equal', async () => {
    const rows = [
      rowsOf(catalogArtist, { name: 'Mono' }),
      rowsOf(artistIdentityBridge, { ...bind, mbid: MBID, is_exact: true }),
      rowsOf(clusterAuthorityIdsV1, { scheme: 'audioshare', value: 'given', verified: true }),
    ];
    const [own, clusters] = [await project(artist, ...rows), await project(cluster, ...rows)];
    for (const address of [`mbid:${MBID}`, 'audioshare:given']) {
      const [first, second] = [own, clusters].map(({ addresses }) =>
        addresses.find((claim) => claim.address === address),
      );
      expect(first?.rank).toBe(second?.rank);
      expect(second?.support).toBeLessThan(0);
      expect(first?.support).toBe((second?.support ?? 0) + 1);
    }
  });

  it('are its own alone where its cluster is over-merged', async () => {
    const { claims } = await project(
      artist,
      rowsOf(catalogArtist, { name: 'Mono' }),
      rowsOf(artistIdentityBridge, { ...bind, catalog_artist_id_count: 2, mbid: MBID }),
      rowsOf(clusterAuthorityIdsV1, { scheme: 'audioshare', value: 'given' }),
    );
    expect(claims).toEqual({ [`catalog:${CATALOG_ID}`]: 0, 'name:mono': 0 });
  });
});
