import { expect, it } from 'vitest';
import { type Identity, NO_LOCATORS, storedIdentity } from '../identity/answer.ts';
import type { Found } from '../identity/read.ts';
import { matchItem } from './match-items.ts';

const MBID = '0f0e0d0c-0b0a-4908-8706-050403020100';

interface Owner {
  readonly cluster?: string | null;
  readonly catalog?: number;
  readonly isAmbiguous?: boolean;
}

const nobody: Found = { identity: null, artist: null, isAmbiguous: false, isUnverified: false };

function foundOf({ cluster = null, catalog, isAmbiguous = false }: Owner): Found {
  if (isAmbiguous) return { ...nobody, isAmbiguous };
  const identity: Identity = {
    cluster_id: cluster,
    slug: null,
    display: null,
    locators: { ...NO_LOCATORS, catalog: catalog ?? null },
    resolved_via: 'catalog',
  };
  return {
    ...nobody,
    identity: storedIdentity('catalog-artist:1', JSON.stringify(identity)),
    artist: cluster,
  };
}

/** What an item named "Mono (2)" means where these addresses have owners. */
async function match(
  owners: Readonly<Record<string, Owner>>,
  { name = 'Mono (2)', mbid = MBID as string | null, catalogArtistId = 7 as number | null } = {},
) {
  const asked: string[] = [];
  const found = await matchItem({ name, mbid, catalogArtistId }, async (address) => {
    asked.push(address);
    const owner = owners[address];
    return owner === undefined ? nobody : foundOf(owner);
  });
  return { asked, found };
}

it('goes by MBID, then by catalogue id, then by name', async () => {
  const all = {
    [`mbid:${MBID}`]: { cluster: 'a' },
    'catalog:7': { cluster: 'b' },
    'name:mono (2)': { cluster: 'c' },
  };
  expect((await match(all)).found).toEqual({ clusterId: 'a', via: 'mbid' });
  const { [`mbid:${MBID}`]: _, ...others } = all;
  expect((await match(others)).found).toEqual({ clusterId: 'b', via: 'catalog' });
  expect((await match({ 'name:mono (2)': { cluster: 'c' } })).found).toEqual({ clusterId: 'c', via: 'name' });
  expect((await match({})).asked).toEqual([`mbid:${MBID}`, 'catalog:7', 'name:mono (2)', 'name:mono']);
  expect((await match({})).found).toBeNull();
});

it('means nobody where an id is several artists, or one without a cluster', async () => {
  const byName = { 'name:mono (2)': { cluster: 'c' } };
  expect((await match({ [`mbid:${MBID}`]: { isAmbiguous: true }, ...byName })).found).toBeNull();
  expect((await match({ 'catalog:7': { cluster: null }, ...byName })).found).toBeNull();
  expect(
    (await match({ 'name:mono (2)': { isAmbiguous: true }, 'name:mono': { cluster: 'd' } })).found,
  ).toBeNull();
});

it('takes the bare name of a homonym unless the catalogue knows another by it', async () => {
  const named = (owner: Owner) => match({ 'name:mono': owner });
  expect((await named({ cluster: 'd' })).found).toEqual({ clusterId: 'd', via: 'name' });
  expect((await named({ cluster: 'd', catalog: 7 })).found).toEqual({ clusterId: 'd', via: 'name' });
  expect((await named({ cluster: 'd', catalog: 8 })).found).toBeNull();
  expect((await named({ isAmbiguous: true })).found).toBeNull();
});

it('asks for the name alone where there is no id', async () => {
  const { asked, found } = await match(
    { 'name:mono': { cluster: 'd', catalog: 8 } },
    { name: 'MONO', mbid: null, catalogArtistId: null },
  );
  expect(asked).toEqual(['name:mono']);
  expect(found).toEqual({ clusterId: 'd', via: 'name' });
});
