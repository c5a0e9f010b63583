import { hash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { fillArtists } from '../test/artists.ts';
import { withDatabase } from '../test/services/database.ts';
import { rebuild } from '../workers/project/build-version.ts';
import { artistProjection } from './artist/project.ts';
import { byAddress, byKey, dossierLookup } from './read-dossiers.ts';
import { registerSources } from './registry.ts';

const ARTISTS = 30;

describe('dossiers that are asked for together', () => {
  const { pool } = withDatabase();
  let stored: readonly { readonly key: string; readonly hash: Buffer; readonly body: Buffer }[];

  beforeAll(async () => {
    const registry = await registerSources(pool);
    await fillArtists(pool, registry, ARTISTS);
    await rebuild(pool, artistProjection, registry);
    stored = (await pool.query('select key, hash, body from read.artist order by key')).rows;
  });

  it('are each what is stored under its key, however many there are', async () => {
    expect(stored.length).toBeGreaterThanOrEqual(ARTISTS);
    const lookup = dossierLookup(pool, 'together', byKey('artist'));
    const nobody = `artist:${hash('sha256', 'nobody')}`;
    const asked = [...stored.map(({ key }) => key), nobody];
    const found = await Promise.all(asked.map(lookup.dossier));
    expect(found.pop()).toBeNull();
    expect(found).toEqual(stored.map(({ hash, body }) => ({ hash, frame: body })));
    const hashes = await Promise.all(asked.map(lookup.hash));
    expect(hashes).toEqual([...stored.map(({ hash }) => hash), null]);
  });

  it('are each what its address belongs to', async () => {
    const { rows } = await pool.query<{ address: string; key: string }>(
      `select distinct on (address) address, key
       from read.artist_address claim join read.artist on id = claim.document
       order by address, rank, support desc, id`,
    );
    expect(rows.length).toBeGreaterThanOrEqual(ARTISTS);
    const bodies = new Map(stored.map(({ key, body }) => [key, body]));
    const lookup = dossierLookup(pool, 'together-address', byAddress('artist'));
    const found = await Promise.all(rows.map(({ address }) => lookup.dossier(address)));
    expect(found.map((dossier) => dossier?.frame)).toEqual(rows.map(({ key }) => bodies.get(key)));
  });
});
