import { hash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { fillArtists } from '../../test/support/projections/artists.ts';
import { rebuild } from '../../test/support/projections/rebuild.ts';
import { withDatabase } from '../../test/support/services/database.ts';
import { artistProjection } from '../models/artist/project.ts';
import { byKey, byLookupKey, dossierLookup } from './read-dossiers.ts';
import { registerSources } from './registry.ts';

const ARTISTS = 30;

describe('dossiers requested together', () => {
  const { pool } = withDatabase();
  let stored: readonly { readonly key: string; readonly hash: Buffer; readonly body: Buffer }[];

  beforeAll(async () => {
    const registry = await registerSources(pool);
    await fillArtists(pool, registry, ARTISTS);
    await rebuild(pool, artistProjection, registry);
    stored = (await pool.query('select key, hash, body from read.artist order by key')).rows;
  });

  it('equal the stored ones, for any number of keys', async () => {
    expect(stored.length).toBeGreaterThanOrEqual(ARTISTS);
    const lookup = dossierLookup(pool, 'together', byKey('artist'));
    const unknown = `artist:${hash('sha256', 'unknown')}`;
    const asked = [...stored.map(({ key }) => key), unknown];
    const found = await Promise.all(asked.map(lookup.dossier));
    expect(found.pop()).toBeNull();
    expect(found).toEqual(stored.map(({ hash, body }) => ({ hash, frame: body })));
    const hashes = await Promise.all(asked.map(lookup.hash));
    expect(hashes).toEqual([...stored.map(({ hash }) => hash), null]);
  });

  it('are found by their lookup keys', async () => {
    const { rows } = await pool.query<{ address: string; key: string }>(
      `select distinct on (address) address, key
       from read.artist_address candidate join read.artist on id = candidate.document
       order by address, rank, support desc, id`,
    );
    expect(rows.length).toBeGreaterThanOrEqual(ARTISTS);
    const bodies = new Map(stored.map(({ key, body }) => [key, body]));
    const lookup = dossierLookup(pool, 'together-address', byLookupKey('artist'));
    const found = await Promise.all(rows.map(({ address }) => lookup.dossier(address)));
    expect(found.map((dossier) => dossier?.frame)).toEqual(rows.map(({ key }) => bodies.get(key)));
  });
});
