import { expect, it } from 'vitest';
import { projectOne } from '../../../test/support/projections/project-one.ts';
import { rowsOf, type SourceRows } from '../../../test/support/rows/source-rows.ts';
import { mbRecording } from '../../contracts/mb/recording.ts';
import { mbTrackProjection } from './project.ts';

const A = 'a1'.repeat(32);
const B = 'b2'.repeat(32);
const RECORDING = 'e5'.repeat(32);

async function project(...given: readonly SourceRows[]) {
  const projected = await projectOne(mbTrackProjection, `recording:${RECORDING}`, ...given);
  expect(projected).toMatchObject({ key: `recording:${RECORDING}`, dependents: [] });
  return projected.document;
}

const recording = { cluster_id: RECORDING, artist_cluster_id: A, artist_credit: 'Mono', title: 'Halcyon' };

it('keeps every recording of the name under title and artist, with its highest number of releases', async () => {
  const document = await project(
    rowsOf(
      mbRecording,
      { ...recording, length_ms: 267_000, release_count: 2 },
      { ...recording, artist_cluster_id: B, title: 'HALCYON!', release_count: 5 },
      { ...recording, release_count: -1 },
    ),
  );
  expect(JSON.parse(String(document?.body()))).toEqual({
    tracks: [
      { artist: A, credit: 'Mono', title: 'Halcyon', length_ms: 267_000, releases: 2 },
      { artist: B, credit: 'Mono', title: 'HALCYON!', length_ms: null, releases: 5 },
      { artist: A, credit: 'Mono', title: 'Halcyon', length_ms: null, releases: 0 },
    ],
  });
  const start = expect.stringMatching(/^title:[\w-]{16}:halcyon!?$/);
  expect(document?.lookupKeys).toEqual([
    { value: start, rank: 0, support: 2 },
    { value: expect.stringMatching(/^by:[\w-]{16}$/), rank: 1, support: 5 },
    { value: start, rank: 0, support: 5 },
  ]);
});

it('is null without lookup keys', async () => {
  expect(await project(rowsOf(mbRecording, { ...recording, title: ' ' }))).toBeNull();
  expect(await project()).toBeNull();
});
