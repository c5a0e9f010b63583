import { describe, expect, it } from 'vitest';
import { masterOf, masterRow } from '../../../../test/support/rows/master.ts';

describe('tracklist', () => {
  const tracksOf = async (tracklist: unknown) => (await masterOf(masterRow({ tracklist }))).tracklist;
  const track = { position: null, title: 'T', durationS: null };

  it.each([[null], [{}], [{ title: 'T' }], [[]], ['T']])('is empty for %j', async (given) => {
    expect(await tracksOf(given)).toEqual([]);
  });

  it('omits entries that are not tracks, and keeps the others in order', async () => {
    const given = [
      { title: 'B' },
      null,
      7,
      'T',
      ['T'],
      {},
      { title: '' },
      { title: ' ' },
      { title: 5 },
      { title: 'A' },
    ];
    expect(await tracksOf(given)).toEqual([
      { ...track, title: 'B' },
      { ...track, title: 'A' },
    ]);
  });

  it.each([
    ['A1', 'A1'],
    ['', null],
    [3, '3'],
    [null, null],
    [{}, null],
    [true, null],
  ])('reads the position %j as %j', async (position, expected) => {
    expect(await tracksOf([{ title: 'T', position }])).toEqual([{ ...track, position: expected }]);
  });

  it.each([
    [0, 0],
    [244.4, 244],
    [244.5, 245],
    [-1, null],
    ['244', null],
    [null, null],
    [Number.POSITIVE_INFINITY, null],
  ])('reads the duration %j as %j', async (duration_s, durationS) => {
    expect(await tracksOf([{ title: 'T', duration_s }])).toEqual([{ ...track, durationS }]);
  });
});
