import { expect, it } from 'vitest';
import { type Identity, NO_LOCATORS, storedIdentity } from '../identity/identity.ts';
import type { OwnerResult } from '../identity/read.ts';
import { matchItem } from './match-items.ts';

const MBID = '0f0e0d0c-0b0a-4908-8706-050403020100';

interface Owner {
  readonly cluster?: string | null;
  readonly catalog?: number;
  readonly isAmbiguous?: boolean;
}

const NO_OWNER: OwnerResult = { identity: null, artist: null, isAmbiguous: false, isUnverified: false };

function foundOf({ cluster = null, catalog, isAmbiguous = false }: Owner): OwnerResult {
  if (isAmbiguous) return { ...NO_OWNER, isAmbiguous };
  const identity: Identity = {
    cluster_id: cluster,
    slug: null,
    display: null,
    locators: { ...NO_LOCATORS, catalog: catalog ?? null },
    resolved_via: 'catalog',
  };
  return {
    ...NO_OWNER,
    identity: storedIdentity('catalog-artist:1', JSON.stringify(identity)),
    artist: cluster,
  };
}

/** The match of an item named "Mono (2)" if these lookup keys have owners, and these names clusters. */
async function match(
  owners: Readonly<Record<string, Owner>>,
  { name = 'Mono (2)', mbid = MBID as string | null, catalogArtistId = 7 as number | null } = {},
  clusters: Readonly<Record<string, Owner>> = {},
) {
  const lookups: string[] = [];
  const lookUp = (all: Readonly<Record<string, Owner>>) => async (key: string) => {
    lookups.push(key);
    const owner = all[key];
    return owner === undefined ? NO_OWNER : foundOf(owner);
  };
  const found = await matchItem(
    { name, mbid, catalogArtistId },
    { owner: lookUp(owners), cluster: lookUp(clusters) },
  );
  return { lookups, found };
}

it('matches by MBID, then by catalogue id, then by name', async () => {
  const all = {
    [`mbid:${MBID}`]: { cluster: 'a' },
    'catalog:7': { cluster: 'b' },
    'name:mono (2)': { cluster: 'c' },
  };
  expect((await match(all)).found).toEqual({ clusterId: 'a', via: 'mbid' });
  const { [`mbid:${MBID}`]: _, ...others } = all;
  expect((await match(others)).found).toEqual({ clusterId: 'b', via: 'catalog' });
  expect((await match({ 'name:mono (2)': { cluster: 'c' } })).found).toEqual({ clusterId: 'c', via: 'name' });
  expect((await match({})).lookups).toEqual([`mbid:${MBID}`, 'catalog:7', 'name:mono (2)', 'name:mono']);
  expect((await match({})).found).toBeNull();
});

it('matches none if an id is ambiguous or its artist has no cluster', async () => {
  const byName = { 'name:mono (2)': { cluster: 'c' } };
  expect((await match({ [`mbid:${MBID}`]: { isAmbiguous: true }, ...byName })).found).toBeNull();
  expect((await match({ 'catalog:7': { cluster: null }, ...byName })).found).toBeNull();
  expect(
    (await match({ 'name:mono (2)': { isAmbiguous: true }, 'name:mono': { cluster: 'd' } })).found,
  ).toBeNull();
});

it('matches the bare name of a homonym unless it belongs to another catalogue artist', async () => {
  const named = (owner: Owner) => match({ 'name:mono': owner });
  expect((await named({ cluster: 'd' })).found).toEqual({ clusterId: 'd', via: 'name' });
  expect((await named({ cluster: 'd', catalog: 7 })).found).toEqual({ clusterId: 'd', via: 'name' });
  expect((await named({ cluster: 'd', catalog: 8 })).found).toBeNull();
  expect((await named({ isAmbiguous: true })).found).toBeNull();
});

it('looks up only the name if there is no id', async () => {
  const { lookups, found } = await match(
    { 'name:mono': { cluster: 'd', catalog: 8 } },
    { name: 'MONO', mbid: null, catalogArtistId: null },
  );
  expect(lookups).toEqual(['name:mono']);
  expect(found).toEqual({ clusterId: 'd', via: 'name' });
});

it('matches the cluster of exactly the name if the catalogue gives none, unverified', async () => {
  const named = (cluster: Owner, item: { name?: string; catalogArtistId?: number | null }) =>
    match(
      { 'name:mono': { isAmbiguous: true } },
      { name: 'Mono', mbid: null, catalogArtistId: null, ...item },
      { 'name:mono': cluster },
    );
  const cluster = { cluster: 'd' };
  const unverified = { clusterId: 'd', via: 'unverified_name' };
  expect((await named(cluster, {})).found).toEqual(unverified);
  expect((await named({ ...cluster, catalog: 7 }, { catalogArtistId: 7 })).found).toEqual(unverified);
  expect((await named({ ...cluster, catalog: 8 }, { catalogArtistId: 7 })).found).toBeNull();
  // Several clusters have the name.
  expect((await named({ isAmbiguous: true }, {})).found).toBeNull();
  // A number names one of the homonyms.
  expect((await named(cluster, { name: 'Mono (2)' })).found).toBeNull();
});
