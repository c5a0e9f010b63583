import { expect, it } from 'vitest';
import type { SurfaceSource } from '../../../projections/contracts/surfaces.ts';
import { surfaceByName, surfaces } from '../../../projections/contracts/surfaces.ts';
import { type SurfaceTestRow, withSurfaces } from '../../../test/support/query/surface-service.ts';
import { rowsOf } from '../../../test/support/rows/source-rows.ts';

const service = withSurfaces();
const KNOWN = 'ab'.repeat(32);
const UNKNOWN = 'ee'.repeat(32);
const NOTHING_RECEIVED = 'No data of this surface has been received yet.';

const surface = (name: string): SurfaceSource => {
  const found = surfaceByName.get(name);
  if (found === undefined) throw new Error(`${name} is no surface`);
  return found;
};

/** The notes of all surfaces, after a new measurement. */
async function index(): Promise<ReadonlyMap<unknown, unknown>> {
  service.passTime(5_000);
  const { surfaces: listed } = (await service.get('/api/v2/surface')).json();
  return new Map(listed.map(({ name, coverage_note }: SurfaceTestRow) => [name, coverage_note]));
}

/** The note of a surface, which is the same in the index and with its rows. */
async function noteOf(source: SurfaceSource, cluster = UNKNOWN): Promise<string> {
  const { coverage_note } = await service.rows(source, { cluster });
  expect((await index()).get(source.table)).toBe(coverage_note);
  return coverage_note;
}

it('notes that no data of a surface was received, even if its producer is alive', async () => {
  expect([...(await index()).values()]).toEqual(surfaces.map(() => NOTHING_RECEIVED));
  await service.pool.query(`update ingest.source set connector = 'producers';
    insert into ingest.connector (name, newest_heartbeat_at) values ('producers', now())`);
  for (const source of surfaces.slice(0, 3)) expect(await noteOf(source)).toBe(NOTHING_RECEIVED);
});

it.each([
  [
    'seen.radio_play_v1',
    'Observed by seen and refreshed every hour. No row means that seen has no data about this artist, not that there is none. ' +
      'Stations that are not watched play the artist unseen; so do gaps in the logs of those that are.',
  ],
  [
    'public.spine_artist_name_published_view',
    'Decided by spine and refreshed every day. No row means that spine has no data about this artist, not that there is none.',
  ],
  [
    'seen.dj_champion',
    'Derived by seen from observations and refreshed every day. No row means that seen has no data about this artist, not that there is none. ' +
      'Only sets with a published tracklist count.',
  ],
])('otherwise explains a row and a missing row: %s', async (table, note) => {
  const source = surface(table);
  expect(await noteOf(source)).toBe(NOTHING_RECEIVED);
  await service.write(source, [{ ...rowsOf(source, {}).rows[0], cluster_id: KNOWN }]);
  expect(await noteOf(source, KNOWN)).toBe(note);
  expect(await noteOf(source)).toBe(note);
  // Delivered rows may have been deleted again.
  await service.pool.query('delete from ingest.mirror');
  expect(await noteOf(source)).toBe(note);
});

it('mentions labels if the clusters are labels', async () => {
  const source = surface('seen.label_djset_momentum');
  await service.write(source, [{ ...rowsOf(source, {}).rows[0], cluster_id: KNOWN }]);
  expect(await noteOf(source)).toContain('No row means that seen has no data about this label,');
});
