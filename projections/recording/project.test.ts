import { expect, it } from 'vitest';
import { mirrorRows, rowsOf, type SourceRows } from '../../test/rows/source-rows.ts';
import type { SubjectRef } from '../rows.ts';
import { mbRecording } from '../sources/mb/recording.ts';
import { storefrontTrack } from '../sources/storefront/track.ts';
import { recordingProjection } from './project.ts';

const A = 'a1'.repeat(32);
const B = 'b2'.repeat(32);
const RECORDING = 'e5'.repeat(32);

async function project(key: SubjectRef, ...given: readonly SourceRows[]) {
  const rows = mirrorRows(...given);
  const [projected] = await recordingProjection.project([key], async () => rows, { idOf: () => 1 });
  expect(projected).toMatchObject({ key, touches: [] });
  const document = projected?.document ?? null;
  return document && { performers: JSON.parse(document.body().toString()), addresses: document.addresses };
}

const recording = { cluster_id: RECORDING, artist_cluster_id: A, artist_credit: 'Mono', title: 'Halcyon' };

it('names the performer of a recording under its ISRCs, and under artist and title, with its most releases', async () => {
  const recordings = rowsOf(
    mbRecording,
    { ...recording, isrcs: ['us-rc1-76-07839', 'USRC17607839', 'none'], release_count: 2 },
    { ...recording, isrcs: ['GBAYE0601498'], release_count: 5 },
  );
  expect(await project(`recording:${RECORDING}`, recordings)).toEqual({
    performers: { [A]: null },
    addresses: [
      { address: 'isrc:GBAYE0601498', rank: 0, support: 5 },
      { address: 'isrc:USRC17607839', rank: 0, support: 2 },
      { address: 'track:mono\u001fhalcyon', rank: 0, support: 5 },
    ],
  });
});

it('tells homonyms apart who share the name of a recording', async () => {
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
    addresses: [
      { address: 'isrc:USRC17607839', rank: 0, support: 2 },
      { address: 'track:mono\u001fhalcyon', rank: 0, support: most },
    ],
  });
});

it('names the performers of what a storefront sells, after the metadata database', async () => {
  const tracks = rowsOf(
    storefrontTrack,
    { item_id: 'i1', track_no: 1, cluster_id: A, artist_name: 'Mono', title: 'Halcyon' },
    { item_id: 'i1', track_no: 2, cluster_id: A, artist_name: 'Mono', title: 'HALCYON!' },
    { item_id: 'i1', track_no: 3, cluster_id: A, artist_name: 'Mono', title: '' },
  );
  expect(await project('storefront-item:i1', tracks)).toEqual({
    performers: { [A]: null },
    addresses: [{ address: 'track:mono\u001fhalcyon', rank: 1, support: 0 }],
  });
});

it('is nothing where a recording can be asked for by nothing', async () => {
  expect(
    await project(`recording:${RECORDING}`, rowsOf(mbRecording, { ...recording, title: ' ' })),
  ).toBeNull();
  expect(await project('storefront-item:i1')).toBeNull();
});
