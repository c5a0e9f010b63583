import fc from 'fast-check';
import type { SearchDocument } from '../../../projections/models/search/document.ts';
import { splitWords } from '../../../projections/models/search/words.ts';
import type { SearchFilters } from '../../../services/query/plain-language/interpretation.ts';

/** Few words, so that searches find something; among them what is hard to split. */
const WORDS = ['the', 'The', 'love', 'Lovely', 'été', 'AC/DC', 'a.b', 'P!nk', '&', 'blue', '東京', '東'];
const GENRES = ['Rock', 'Jazz', 'ROCK'];
const STYLES = ['Dub', 'Acid', 'House'];
const FORMATS = ['LP', 'CD', '12"'];
const COUNTRIES = ['DE', 'GB'];
const LABELS = ['Warp', 'warp', 'Ninja Tune'];
const QUADRANTS = ['000', '101', '111'];

const text = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 })
      .map((all) => all.join(' ')),
  },
  { weight: 1, arbitrary: fc.constantFrom('!!!', '+/-', '') },
);

const some = (values: readonly string[]) => fc.array(fc.constantFrom(...values), { maxLength: 2 });
const count = fc.option(fc.nat(3));

/** A document as the projection makes it, without its id. */
const contents = fc.record({
  title: text,
  artist: text,
  year: fc.option(fc.integer({ min: 1990, max: 1995 })),
  cube_quadrant: fc.option(fc.constantFrom(...QUADRANTS)),
  owner_count: count,
  dj_count: count,
  genres: some(GENRES),
  styles: some(STYLES),
  formats: some(FORMATS),
  country: fc.option(fc.constantFrom(...COUNTRIES)),
  labels: some(LABELS),
});

const spaced = (value: string) => {
  const { words, further } = splitWords(value);
  return { words: words.join(' '), further: further.join(' ') };
};

export const documentOf = (master_id: number) =>
  contents.map(
    ({ title, artist, genres, styles, formats, country, labels, ...numbers }): SearchDocument => ({
      row: { master_id, title, artist, critic_count: null, formats, artist_cluster_id: null, ...numbers },
      genres,
      styles,
      country,
      labels,
      title: spaced(title),
      artist: spaced(artist),
    }),
  );

/** Up to 40 release groups, with ids that are in no order. */
export const documents = fc
  .uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 40 })
  .chain((ids) => fc.tuple(...ids.map(documentOf)));

const mode = fc.constantFrom('and' as const, 'or' as const);
const asked = (values: readonly string[]) =>
  fc.uniqueArray(fc.constantFrom(...values, 'none of them'), { minLength: 1, maxLength: 3 });

export const searchFilters: fc.Arbitrary<SearchFilters> = fc.record(
  {
    genre: asked([...GENRES, 'rock']),
    style: asked(STYLES),
    format: asked(FORMATS),
    country: asked(COUNTRIES),
    label: asked(LABELS),
    genre_mode: mode,
    style_mode: mode,
    format_mode: mode,
    country_mode: mode,
    label_mode: mode,
    year_from: fc.integer({ min: 1990, max: 1995 }),
    year_to: fc.integer({ min: 1990, max: 1995 }),
    cube_quadrant: fc.constantFrom(...QUADRANTS),
    dj_count_min: fc.integer({ min: -1, max: 3 }),
    exclude_artist: fc.oneof(text, fc.constantFrom('the', 'acdc')).filter((name) => name !== ''),
    exclude_label: fc.constantFrom(...LABELS, 'WARP'),
  },
  { requiredKeys: [] },
);

/** Words as they are there, their beginnings, and words that are nowhere. */
export const searchText = fc
  .array(fc.constantFrom(...WORDS, 'lo', 'l', 'ete', 'acdc', 'a', 'pink', '!!!', '!', 'nowhere', '京'), {
    minLength: 1,
    maxLength: 3,
  })
  .map((words) => words.join(' '));
