import { randomOf } from '../data/random.ts';
import {
  COUNTRIES,
  type Corpus,
  corpusLabel,
  FORMATS,
  GENRES,
  releaseGroup,
  STYLES,
  wordOf,
} from './corpus.ts';

/** A search, in the terms that both sides understand. */
export interface BenchQuery {
  readonly kind: string;
  readonly q: string;
  readonly filters: Readonly<Record<string, string | readonly string[]>>;
  readonly offset: number;
  readonly limit: number;
}

const QUERIES = 300;
const STREAM = 21;

type Make = (number: number) => Partial<BenchQuery> & Pick<BenchQuery, 'q'>;

/** As many of each kind, in turns; the same for the same corpus. */
export function benchQueries(corpus: Corpus): BenchQuery[] {
  const kinds = Object.entries(makersOf(corpus));
  return Array.from({ length: QUERIES }, (_, number) => {
    const [kind, make] = kinds[number % kinds.length] ?? ['', () => ({ q: 'a' })];
    return { kind, filters: {}, offset: 0, limit: number % 2 === 0 ? 50 : 100, ...make(number) };
  });
}

function makersOf(corpus: Corpus): Readonly<Record<string, Make>> {
  const random = randomOf(corpus.seed, STREAM);
  const some = () => releaseGroup(corpus, random.whole(0, corpus.releaseGroups - 1));
  const common = () => wordOf(random.whole(0, 13));
  const two = () => `${common()} ${common()}`;
  return {
    'rare word': () => ({ q: wordOf(random.whole(20_000, 119_000)) }),
    'title as it is': () => ({ q: some().row.title }),
    'artist and title': () => {
      const { row } = some();
      return { q: `${row.artist} ${row.title}` };
    },
    'two words of a title': () => ({ q: some().title.words.split(' ').slice(0, 2).join(' ') }),
    'common word': () => ({ q: common() }),
    'two common words': () => ({ q: two() }),
    'unfinished word': () => ({ q: wordOf(random.whole(100, 90_000)).slice(0, 1 + random.whole(0, 3)) }),
    'common words, unfinished': () => ({ q: `${two()} ${wordOf(random.whole(100, 9_000)).slice(0, 2)}` }),
    'genre and style': () => ({
      q: common(),
      filters: { genre: random.pick(GENRES), style: random.pick(STYLES) },
    }),
    'any of several styles': () => ({
      q: common(),
      filters: { style: [random.pick(STYLES), random.pick(STYLES), random.pick(STYLES)], style_mode: 'or' },
    }),
    'all of two formats, years': () => ({
      q: common(),
      filters: {
        format: [FORMATS[0] ?? '', FORMATS[1] ?? ''],
        format_mode: 'and',
        year_from: '1990',
        year_to: '2010',
      },
    }),
    'quadrant and plays': () => ({ q: common(), filters: { cube_quadrant: '110', dj_count_min: '2' } }),
    'country and label': () => ({
      q: 'the',
      filters: { country: random.pick(COUNTRIES), label: corpusLabel(random.whole(0, 20)) },
    }),
    'without an artist and a label': () => ({
      q: common(),
      filters: { exclude_artist: some().row.artist, exclude_label: corpusLabel(random.whole(0, 5)) },
    }),
    'far down': () => ({ q: common(), offset: random.pick([1_000, 5_000, 10_000]) }),
    'one letter': () => ({ q: random.pick(['s', 't', 'a', 'm', 'l', 'r']) }),
    'many common words': () => ({
      q: Array.from({ length: 20 }, () => wordOf(random.whole(0, 40))).join(' '),
    }),
    'nothing to be found': () => ({ q: `${common()} zzzqx` }),
  };
}
