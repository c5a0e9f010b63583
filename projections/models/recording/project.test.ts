import { expect, it } from 'vitest';
import { projectOne } from '../../../test/support/projections/project-one.ts';
import { rowsOf, type SourceRows } from '../../../test/support/rows/source-rows.ts';
import { mbRecording } from '../../contracts/mb/recording.ts';
import { storefrontTrack } from '../../contracts/storefront/track.ts';
import type { SubjectRef } from '../../engine/rows.ts';
import { recordingProjection } from './project.ts';

const A = 'a1'.repeat(32);
const B = 'b2'.repeat(32);
const RECORDING = 'e5'.repeat(32);

async function project(key: SubjectRef, ...given: readonly SourceRows[]) {
  const projected = await projectOne(recordingProjection, key, ...given);
  expect(projected).toMatchObject({ key, dependents: [] });
  const { document } = projected;
  return document && { performers: JSON.parse(document.body().toString()), lookupKeys: document.lookupKeys };
}

const recording = { cluster_id: RECORDING, artist_cluster_id: A, artist_credit: 'Mono', title: 'Halcyon' };

it('names the performer of a recording under its ISRCs and under artist and title', async () => {
  const recordings = rowsOf(
    mbRecording,
    { ...recording, isrcs: ['us-rc1-76-07839', 'USRC17607839', 'none'], release_count: 2 },
    { ...recording, isrcs: ['GBAYE0601498'], release_count: 5 },
  );
  expect(await project(`recording:${RECORDING}`, recordings)).toEqual({
    performers: { [A]: null },
    lookupKeys: [
      { value: 'isrc:GBAYE0601498', rank: 0, support: 5 },
      { value: 'isrc:USRC17607839', rank: 0, support: 2 },
      { value: 'track:mono\u001fhalcyon', rank: 0, support: 5 },
    ],
  });
});

it('distinguishes homonyms that share the title of a recording', async () => {
  const recordings = rowsOf(
    mbRecording,
    { ...recording, isrcs: ['USRC17607839'], release_count: 2 },
    { ...recording, artist_cluster_id: B, release_count: 2 ** 40 },
    { ...recording, artist_cluster_id: B, release_count: -1 },
  );
  const most = 2 ** 31 - 1;
  expect(await project(`recording:${RECORDING}`, recordings)).toEqual({
    performers: {
      [A]: { 'isrc:USRC17607839': 2, 'track:mono\u001fhalcyon': 2 },
      [B]: { 'track:mono\u001fhalcyon': most },
    },
    lookupKeys: [
      { value: 'isrc:USRC17607839', rank: 0, support: 2 },
      { value: 'track:mono\u001fhalcyon', rank: 0, support: most },
    ],
  });
});

it('names the performers of storefront tracks after those of the metadata database', async () => {
  const tracks = rowsOf(
    storefrontTrack,
    { item_id: 'i1', track_no: 1, cluster_id: A, artist_name: 'Mono', title: 'Halcyon' },
    { item_id: 'i1', track_no: 2, cluster_id: A, artist_name: 'Mono', title: 'HALCYON!' },
    { item_id: 'i1', track_no: 3, cluster_id: A, artist_name: 'Mono', title: '' },
  );
  expect(await project('storefront-item:i1', tracks)).toEqual({
    performers: { [A]: null },
    lookupKeys: [{ value: 'track:mono\u001fhalcyon', rank: 1, support: 0 }],
  });
});

it('is null for a recording without lookup keys', async () => {
  expect(
    await project(`recording:${RECORDING}`, rowsOf(mbRecording, { ...recording, title: ' ' })),
  ).toBeNull();
  expect(await project('storefront-item:i1')).toBeNull();
});
