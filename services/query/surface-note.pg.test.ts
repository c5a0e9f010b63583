import { expect, it } from 'vitest';
import type { SurfaceSource } from '../../projections/sources/surfaces.ts';
import { surfaceByName, surfaces } from '../../projections/sources/surfaces.ts';
import { rowsOf } from '../../test/rows/source-rows.ts';
import { type Row, withSurfaces } from '../../test/surface-service.ts';

const service = withSurfaces();
const KNOWN = 'ab'.repeat(32);
const NOBODY = 'ee'.repeat(32);
const NOTHING_RECEIVED = 'Nothing has been received of this surface yet.';

const surface = (name: string): SurfaceSource => {
  const found = surfaceByName.get(name);
  if (found === undefined) throw new Error(`${name} is no surface`);
  return found;
};

/** The notes of all surfaces, measured anew. */
async function index(): Promise<ReadonlyMap<unknown, unknown>> {
  service.passTime(5_000);
  const { surfaces: listed } = (await service.get('/api/v2/surface')).json();
  return new Map(listed.map(({ name, coverage_note }: Row) => [name, coverage_note]));
}

/** The note of a surface, which is the same in the index and beside its rows. */
async function noteOf(source: SurfaceSource, cluster = NOBODY): Promise<string> {
  const { coverage_note } = await service.rows(source, { cluster });
  expect((await index()).get(source.table)).toBe(coverage_note);
  return coverage_note;
}

it('says of a surface that nothing was received of just that, though its producer be alive', async () => {
  expect([...(await index()).values()]).toEqual(surfaces.map(() => NOTHING_RECEIVED));
  await service.pool.query('update ingest.source set newest_heartbeat_at = now()');
  for (const source of surfaces.slice(0, 3)) expect(await noteOf(source)).toBe(NOTHING_RECEIVED);
});

it.each([
  [
    'seen.radio_play_v1',
    'Observed by seen and refreshed every hour. No row means that seen has none of this artist, not that there is nothing to know. ' +
      'Stations that are not watched play the artist unseen; so do gaps in the logs of those that are.',
  ],
  [
    'public.spine_artist_name_published_view',
    'Decided by spine and refreshed every day. No row means that spine has none of this artist, not that there is nothing to know.',
  ],
  [
    'seen.dj_champion',
    'Derived by seen from what was observed, and refreshed every day. No row means that seen has none of this artist, not that there is nothing to know. ' +
      'Only sets with a published tracklist count.',
  ],
])('says else what it means that there is a row, and that there is none: %s', async (table, note) => {
  const source = surface(table);
  expect(await noteOf(source)).toBe(NOTHING_RECEIVED);
  await service.write(source, [{ ...rowsOf(source, {}).rows[0], cluster_id: KNOWN }]);
  expect(await noteOf(source, KNOWN)).toBe(note);
  expect(await noteOf(source)).toBe(note);
  // What was delivered may be gone again, and then there is none indeed.
  await service.pool.query('delete from ingest.mirror');
  expect(await noteOf(source)).toBe(note);
});

it('speaks of labels where the clusters are labels', async () => {
  const source = surface('seen.label_djset_momentum');
  await service.write(source, [{ ...rowsOf(source, {}).rows[0], cluster_id: KNOWN }]);
  expect(await noteOf(source)).toContain('No row means that seen has none of this label,');
});
