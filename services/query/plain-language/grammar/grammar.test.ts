import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Vocabulary } from '../interpretation.ts';
import { interpretByGrammar } from './interpret-by-grammar.ts';

const LABELS = new Map(
  ['Tresor', 'Axis Records', 'On-U Sound', 'R&S'].map((label) => [label.toLowerCase(), label]),
);
const vocabulary: Vocabulary = {
  genres: ['Electronic', 'Rock', 'Jazz', 'Funk / Soul'],
  styles: ['Techno', 'House', 'Deep House', 'Post-Punk', 'Drum n Bass', 'Synth-pop', 'Electronic'],
  formats: ['Vinyl', 'LP', 'Album', '12"', '7"', 'Cassette', 'CD'],
  countries: ['USA & Europe', 'Germany', 'US'],
  labels: async (name) => LABELS.get(name.toLowerCase()) ?? null,
};

const read = (text: string) => interpretByGrammar(text, vocabulary);
const filtersOf = async (text: string) => (await read(text)).filters;

describe('the grammar', () => {
  it('gives its engine, confidence and unmatched words', async () => {
    expect(await read('deep house banger from Germany')).toEqual({
      q: 'banger',
      filters: { style: ['Deep House'], country: ['Germany'] },
      engine: 'grammar',
      confidence: 0.8,
      unmatched: ['banger'],
    });
    expect(await read('techno on vinyl')).toMatchObject({ q: '', confidence: 1, unmatched: [] });
    expect(await read('Voodoo Ray')).toEqual({
      q: 'Voodoo Ray',
      filters: {},
      engine: 'grammar',
      confidence: 0,
      unmatched: ['Voodoo', 'Ray'],
    });
  });

  it('finds names in any spelling', async () => {
    for (const text of ['post punk', 'Post-Punk', 'POSTPUNK', 'póst-pünk'])
      expect(await filtersOf(text)).toEqual({ style: ['Post-Punk'] });
    for (const text of ['drum and bass', "drum'n'bass", 'drum & bass', 'dnb', 'D&B'])
      expect(await filtersOf(text)).toEqual({ style: ['Drum n Bass'] });
    for (const text of ['funk/soul', 'Funk / Soul'])
      expect(await filtersOf(text)).toEqual({ genre: ['Funk / Soul'] });
  });

  it('reports understood words that no filter expresses', async () => {
    expect(await read('techno from Jamaica')).toMatchObject({
      q: '',
      filters: { style: ['Techno'] },
      unmatched: ['from Jamaica'],
    });
    expect(await read('techno, no house or cassettes')).toMatchObject({
      q: '',
      filters: { style: ['Techno'] },
      unmatched: ['no house', 'cassettes'],
    });
    expect(await read('techno not by Jeff Mills or Robert Hood')).toMatchObject({
      q: '',
      filters: { style: ['Techno'], exclude_artist: 'Jeff Mills' },
      unmatched: ['Robert Hood'],
    });
  });

  it('prefers a genre to a style of the same name only if it is broad', async () => {
    expect(await filtersOf('electronic')).toEqual({ genre: ['Electronic'] });
    expect(await filtersOf('electronic or techno')).toEqual({
      style: ['Electronic', 'Techno'],
      style_mode: 'or',
    });
  });

  it('reads "and" as both if a release can have both, else as either', async () => {
    expect(await filtersOf('techno and house')).toEqual({ style: ['Techno', 'House'], style_mode: 'and' });
    expect(await filtersOf('techno, house')).toEqual({ style: ['Techno', 'House'], style_mode: 'or' });
    expect(await filtersOf('techno from Germany and the US')).toEqual({
      style: ['Techno'],
      country: ['Germany', 'US'],
      country_mode: 'or',
    });
    expect(await filtersOf('techno on Tresor and R&S')).toMatchObject({
      label: ['Tresor', 'R&S'],
      label_mode: 'or',
    });
  });

  it('finds a label with or without "Records"', async () => {
    for (const text of ['techno on Axis', 'techno on Axis Records', 'techno released by axis recordings'])
      expect(await filtersOf(text)).toEqual({ style: ['Techno'], label: ['Axis Records'] });
    expect(await filtersOf('house from On-U Sound')).toEqual({ style: ['House'], label: ['On-U Sound'] });
  });

  it('distinguishes a place from a band by its context', async () => {
    expect(await filtersOf('Berlin techno')).toEqual({ style: ['Techno'], country: ['Germany'] });
    expect(await read('techno by Berlin')).toMatchObject({ q: 'Berlin', filters: { style: ['Techno'] } });
    expect(await read('Berlin')).toMatchObject({ q: 'Berlin', filters: {} });
    expect(await filtersOf('German')).toEqual({ country: ['Germany'] });
    expect(await filtersOf('give us techno')).toEqual({ style: ['Techno'] });
    expect(await filtersOf('US techno')).toEqual({ style: ['Techno'], country: ['US'] });
  });

  it('reads years in many ways', async () => {
    const cases: readonly [string, object][] = [
      ['techno 1999', { year_from: 1999, year_to: 1999 }],
      ['techno from the early to mid 90s', { year_from: 1990, year_to: 1996 }],
      ['techno after the nineties', { year_from: 2000 }],
      ['techno since 1990 but before 1993', { year_from: 1990, year_to: 1992 }],
      ['techno of the 2010s', { year_from: 2010, year_to: 2019 }],
      ['techno from the 80s to the 90s', { year_from: 1980, year_to: 1999 }],
      ['techno from 1995 on', { year_from: 1995 }],
      ['techno from the 90s on, please', { year_from: 1990 }],
      ['techno 1850', {}],
      ['techno 2500', {}],
      ['techno before 1900', {}],
      ['techno after 2100', {}],
    ];
    for (const [text, years] of cases)
      expect(await filtersOf(text), text).toEqual({ style: ['Techno'], ...years });
  });

  it('ignores a range of years that ends before it starts', async () => {
    expect(await read('techno since 2000 before 1990')).toMatchObject({
      filters: { style: ['Techno'], year_from: 2000 },
      unmatched: ['before 1990'],
    });
  });

  it('ends a period before "on" with a format', async () => {
    expect(await filtersOf('techno from the 90s on vinyl')).toEqual({
      style: ['Techno'],
      year_from: 1990,
      year_to: 1999,
      format: ['Vinyl'],
    });
  });

  it('reads a lone year as a name', async () => {
    for (const text of ['1999', 'The 1975']) expect(await read(text)).toMatchObject({ q: text, filters: {} });
    expect(await filtersOf('from 1999')).toEqual({ year_from: 1999, year_to: 1999 });
  });

  it('excludes no artist with the name of an unknown label', async () => {
    for (const text of [
      'techno excluding the label Nobody',
      'techno, nothing on Nobody',
      'techno not from Nobody',
    ])
      expect(await read(text)).toMatchObject({
        q: '',
        filters: { style: ['Techno'] },
        unmatched: [text.slice(text.search(/excluding|nothing|not /))],
      });
    expect(await filtersOf('techno excluding the label Tresor')).toEqual({
      style: ['Techno'],
      exclude_label: 'Tresor',
    });
  });

  it('searches for the artist of "like"', async () => {
    expect(await read('something like Joy Division on vinyl')).toMatchObject({
      q: 'Joy Division',
      filters: { format: ['Vinyl'] },
    });
  });

  it('is never certain of names', async () => {
    expect(await read('1989 by Taylor Swift')).toEqual({
      q: '1989 Taylor Swift',
      filters: {},
      engine: 'grammar',
      confidence: 0.38,
      unmatched: ['1989'],
    });
    expect(await read('techno by Jeff Mills')).toMatchObject({ confidence: 0.63, unmatched: [] });
    expect(await read('"Blue Monday" on vinyl')).toMatchObject({ confidence: 0.83, unmatched: [] });
    for (const text of ['Prince 1999', 'Black House, New Road', 'owned by collectors and praised by critics'])
      expect(await read(text)).toMatchObject({ q: text, filters: {}, confidence: 0 });
  });

  it('keeps capitalised words together if only some are a facet', async () => {
    expect(await read('Black House on vinyl')).toMatchObject({
      q: 'Black House',
      filters: { format: ['Vinyl'] },
      unmatched: ['Black House'],
    });
    expect(await read('House of the Rising Sun')).toMatchObject({
      q: 'House of the Rising Sun',
      filters: {},
    });
    expect(await filtersOf('Deep House & Techno')).toEqual({
      style: ['Deep House', 'Techno'],
      style_mode: 'and',
    });
    expect(await read('Raw House Records')).toMatchObject({ filters: { style: ['House'] } });
    expect(await read('raw house')).toMatchObject({ q: 'raw', filters: { style: ['House'] } });
  });

  it('reads people not as names and reports what no filter expresses', async () => {
    expect(await read('techno by artists from Germany')).toMatchObject({
      q: '',
      filters: { style: ['Techno'], country: ['Germany'] },
      confidence: 1,
      unmatched: [],
    });
    expect(await read('techno by German producers')).toMatchObject({
      q: '',
      filters: { style: ['Techno'], country: ['Germany'] },
    });
    expect(await read('techno owned by collectors')).toMatchObject({
      q: '',
      filters: { style: ['Techno'] },
      confidence: 0.25,
      unmatched: ['owned by collectors'],
    });
    expect(await read('techno by Artists')).toMatchObject({ q: 'Artists', filters: { style: ['Techno'] } });
  });

  it('reports the second of two separate periods', async () => {
    expect(await read('techno from 1970s or 1990s')).toMatchObject({
      q: '',
      filters: { style: ['Techno'], year_from: 1970, year_to: 1979 },
      confidence: 0.75,
      unmatched: ['1990s'],
    });
    expect(await read('techno from 1994 or 1995')).toMatchObject({
      filters: { year_from: 1994, year_to: 1995 },
      unmatched: [],
    });
  });

  it('reads a backward range as the same', async () => {
    for (const text of ['techno between 2000 and 1990', 'techno from 2000 to 1990', 'techno 2000-1990'])
      expect(await read(text)).toMatchObject({
        q: '',
        filters: { style: ['Techno'], year_from: 1990, year_to: 2000 },
        confidence: 1,
      });
  });

  it('reads quotations literally', async () => {
    expect(await read('"Techno House" 12"')).toMatchObject({
      q: 'Techno House',
      filters: { format: ['12"'] },
    });
  });
});

it('uses the current facets after a change', async () => {
  expect(await filtersOf('gabber')).toEqual({});
  const grown = { ...vocabulary, styles: [...vocabulary.styles, 'Gabber'] };
  expect((await interpretByGrammar('gabber', grown)).filters).toEqual({ style: ['Gabber'] });
  expect(await filtersOf('gabber')).toEqual({});
});

it('bounds the label lookups of a text', async () => {
  let lookups = 0;
  const count = async () => {
    lookups++;
    return null;
  };
  const text = Array.from({ length: 60 }, (_, number) => `on ${number}`).join(' ');
  await interpretByGrammar(text, { ...vocabulary, labels: count });
  expect(lookups).toBe(80);
});

it('interprets any text within the limits of a search', async () => {
  const word = fc.oneof(
    fc.constantFrom(
      ...'techno house "on tresor" by no not without or and from berlin the nineties 1999 - , 12" early between since 5 djs played label records \ud800 \0 但 \'n\''.split(
        ' ',
      ),
    ),
    fc.string({ unit: 'binary', maxLength: 12 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 24 }), async (words) => {
      const text = words.join(' ').slice(0, 256);
      const { q, filters, confidence } = await read(text);
      expect(q.length).toBeLessThanOrEqual(256);
      expect(confidence).toBeGreaterThanOrEqual(0);
      expect(confidence).toBeLessThanOrEqual(1);
      for (const excluded of [filters.exclude_artist, filters.exclude_label]) expect(excluded).not.toBe('');
      const { year_from: from = 1900, year_to: to = 2100, dj_count_min: djs = 0 } = filters;
      expect(from).toBeLessThanOrEqual(to);
      expect(from).toBeGreaterThanOrEqual(1900);
      expect(to).toBeLessThanOrEqual(2100);
      expect(djs).toBeLessThanOrEqual(1_000_000);
    }),
    { numRuns: 500 },
  );
});
