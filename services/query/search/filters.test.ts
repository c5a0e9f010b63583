import { describe, expect, it } from 'vitest';
import type { Interpretation, SearchFilters } from '../plain-language/interpretation.ts';
import { givenFilters, shownFilters, withInterpreted } from './apply-filters.ts';

const read = (filters: SearchFilters): Interpretation => ({
  q: '',
  filters,
  engine: 'grammar',
  confidence: 1,
  unmatched: [],
});

it('reads only the filters of a request', () => {
  expect(
    givenFilters({ q: 'a', limit: 5, offset: null, nl: true, dj_count_min: null, genre: ['Rock'] }),
  ).toEqual({ genre: ['Rock'] });
  expect(givenFilters({ q: 'a', dj_count_min: 0, year_to: 1999 })).toEqual({
    dj_count_min: 0,
    year_to: 1999,
  });
});

describe('interpreted filters', () => {
  it('yield to filters of the request', () => {
    expect(
      withInterpreted(
        { genre: ['Rock'], year_from: 1980 },
        read({ genre: ['Jazz'], year_from: 1990, year_to: 1999 }),
      ),
    ).toEqual({ genre: ['Rock'], year_from: 1980, year_to: 1999 });
  });

  it('drop years that contradict the request', () => {
    const nineties = read({ style: ['Techno'], year_from: 1990, year_to: 1999 });
    expect(withInterpreted({ year_to: 1985 }, nineties)).toEqual({ style: ['Techno'], year_to: 1985 });
    expect(withInterpreted({ year_from: 2005 }, nineties)).toEqual({ style: ['Techno'], year_from: 2005 });
    expect(withInterpreted({ year_to: 1990 }, nineties)).toMatchObject({ year_from: 1990, year_to: 1990 });
    expect(withInterpreted({ year_from: 2000, year_to: 1980 }, nineties)).toMatchObject({
      year_from: 2000,
      year_to: 1980,
    });
  });

  it('keep a mode only with their own values', () => {
    const interpretation = read({ genre: ['Jazz', 'Rock'], genre_mode: 'and' });
    expect(withInterpreted({ genre: ['Folk'] }, interpretation)).toEqual({ genre: ['Folk'] });
    expect(withInterpreted({ genre: ['Folk'], genre_mode: 'or' }, interpretation)).toEqual({
      genre: ['Folk'],
      genre_mode: 'or',
    });
    expect(withInterpreted({ genre_mode: 'or' }, interpretation)).toEqual({
      genre: ['Jazz', 'Rock'],
      genre_mode: 'or',
    });
  });
});

it('converts filters to their form in a response', () => {
  expect(
    shownFilters({
      exclude_label: 'Warp',
      style: ['Dub', 'Acid'],
      style_mode: 'and',
      genre: ['Rock'],
      format: [],
      year_from: 1990,
      dj_count_min: 0,
      cube_quadrant: '101',
      label_mode: 'and',
    }),
  ).toEqual([
    { facet: 'genre', value: 'Rock', mode: 'or' },
    { facet: 'style', value: ['Dub', 'Acid'], mode: 'and' },
    { facet: 'year_from', value: '1990', mode: 'and' },
    { facet: 'cube_quadrant', value: '101', mode: 'and' },
    { facet: 'dj_count_min', value: '0', mode: 'and' },
    { facet: 'exclude_label', value: 'Warp', mode: 'and' },
  ]);
});
