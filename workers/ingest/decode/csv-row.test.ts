import { describe, expect, it } from 'vitest';
import { catalogMaster } from '../../../projections/contracts/catalog/master.ts';
import { artistMomentum } from '../../../projections/contracts/seen/artist-momentum.ts';
import { radioPlayV1 } from '../../../projections/contracts/seen/radio-play-v1.ts';
import { compileCsvRow } from './csv-row.ts';

describe('a CSV record', () => {
  it('becomes a row by the types of its columns', () => {
    const read = compileCsvRow(artistMomentum, ['cluster_id', 'is_unsigned', 'emergence_score', 'as_of']);
    expect(read(['ab', 't', '1.50', '2019-06-30'])).toEqual({
      cluster_id: 'ab',
      is_unsigned: true,
      emergence_score: '1.50',
      as_of: '2019-06-30',
    });
    expect(read(['', 'false', null, '18077'])).toEqual({
      cluster_id: '',
      is_unsigned: false,
      emergence_score: null,
      as_of: 18_077,
    });
    for (const text of ['TRUE', 'yes', '1', ''])
      expect(read(['ab', text, null, null])?.is_unsigned).toBe(text);
  });

  it('counts instants, beyond 2^53 too', () => {
    const read = compileCsvRow(radioPlayV1, ['played_at', 'title']);
    expect(read(['1561898096000', '2019'])).toEqual({ played_at: 1_561_898_096_000, title: '2019' });
    expect(read(['1561898096999999999', null])).toEqual({
      played_at: 1_561_898_096_999_999_999n,
      title: null,
    });
  });

  it('has lists as JSON or as PostgreSQL writes them, and documents as text', () => {
    const read = compileCsvRow(catalogMaster, ['catalog_artist_ids', 'genres', 'tracklist']);
    expect(read(['[1,9007199254740993]', '["a","b"]', '[{"position":"A1"}]'])).toEqual({
      catalog_artist_ids: [1, 9_007_199_254_740_993n],
      genres: ['a', 'b'],
      tracklist: '[{"position":"A1"}]',
    });
    expect(read(['{1,2}', '{"a, b",NULL}', null])).toEqual({
      catalog_artist_ids: ['1', '2'],
      genres: ['a, b', null],
      tracklist: null,
    });
    expect(read(['1;2', '{a', ''])).toEqual({ catalog_artist_ids: '1;2', genres: '{a', tracklist: '' });
  });

  it('keeps columns unknown to the contract as text', () => {
    const read = compileCsvRow(artistMomentum, ['batch', 'constructor']);
    expect(read(['7', 't'])).toEqual({ batch: '7', constructor: 't' });
  });

  it('has as many cells as the header', () => {
    const read = compileCsvRow(artistMomentum, ['cluster_id', 'as_of']);
    expect(read(['a'])).toBeNull();
    expect(read(['a', 'b', 'c'])).toBeNull();
  });

  it('needs a header that names each column once', () => {
    expect(() => compileCsvRow(artistMomentum, ['as_of', 'a', 'as_of'])).toThrow('names as_of twice');
    expect(() => compileCsvRow(artistMomentum, ['as_of', null])).toThrow(
      'column 2 of the header has no name',
    );
    for (const name of ['', '__proto__'])
      expect(() => compileCsvRow(artistMomentum, [name, 'as_of'])).toThrow(
        'column 1 of the header has no name',
      );
  });
});
