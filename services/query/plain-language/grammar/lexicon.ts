import { foldName } from '../fold.ts';
import type { Vocabulary } from '../interpretation.ts';
import { type PlaceWord, placesOf } from './countries.ts';

/** Broad genres: a name that is both a genre and a style means the genre. */
const BROAD = new Set(
  'blues classical country electronic experimental folk funk global hiphop jazz latin metal pop rap randb reggae rock soul world'.split(
    ' ',
  ),
);

/** Short names of music and their full spelling. */
const SHORT: ReadonlyMap<string, string> = new Map([
  ['dnb', 'drum and bass'],
  ['dandb', 'drum and bass'],
  ['rnb', 'r&b'],
  ['altrock', 'alternative rock'],
  ['alternative', 'alternative rock'],
  ['indie', 'indie rock'],
  ['prog', 'progressive rock'],
  ['psych', 'psychedelic'],
  ['psychrock', 'psychedelic rock'],
  ['soundtrack', 'film soundtrack'],
  ['ost', 'soundtrack'],
  ['jazzy', 'jazz'],
  ['funky', 'funk'],
  ['soulful', 'soul'],
  ['bluesy', 'blues'],
  ['worldmusic', 'world'],
  ['atmosphericdnb', 'atmospheric drum and bass'],
  ['liquiddnb', 'liquid drum and bass'],
]);

/** Names of formats and the possible index values; all that the index has apply. */
const FORMATS: ReadonlyMap<string, readonly string[]> = new Map([
  ['album', ['Album', 'LP']],
  ['tape', ['Cassette']],
  ['mc', ['Cassette']],
  ['wax', ['Vinyl']],
  ['vinylrecord', ['Vinyl']],
  ['compactdisc', ['CD']],
  ['longplayer', ['LP']],
  ['comp', ['Compilation']],
  ['12inch', ['12"']],
  ['twelveinch', ['12"']],
  ['10inch', ['10"']],
  ['teninch', ['10"']],
  ['7inch', ['7"']],
  ['seveninch', ['7"']],
  ['boxset', ['Box Set']],
  ['download', ['File']],
  ['digital', ['File']],
  ['remaster', ['Remastered']],
  ['promotional', ['Promo']],
  ['bootleg', ['Unofficial Release']],
]);

/** A genre, a style, or both, of one name. */
export interface Music {
  readonly genre: string | null;
  readonly style: string | null;
}

/** Finds facet values by any spelling. */
export interface Lexicon {
  music(text: string): Music | null;
  formats(text: string): readonly string[] | null;
  place(text: string): PlaceWord | null;
}

type Facets = Omit<Vocabulary, 'labels'>;

/** Cached, because facets seldom change. */
let last: { readonly facets: Facets; readonly lexicon: Lexicon } | null = null;

export function lexiconOf(facets: Facets): Lexicon {
  if (last === null || !areSame(facets, last.facets)) last = { facets, lexicon: makeLexicon(facets) };
  return last.lexicon;
}

const areSame = (a: Facets, b: Facets): boolean =>
  (['genres', 'styles', 'formats', 'countries'] as const).every(
    (name) => a[name].length === b[name].length && a[name].every((value, place) => value === b[name][place]),
  );

/** The facet of a name that is in both. */
export function facetOf({ genre, style }: Music): 'genre' | 'style' {
  if (genre === null) return 'style';
  if (style === null) return 'genre';
  return BROAD.has(foldName(genre)) ? 'genre' : 'style';
}

function makeLexicon({ genres, styles, formats, countries }: Facets): Lexicon {
  const findGenre = finder(genres);
  const findStyle = finder(styles);
  const findFormat = finder(formats);
  const places = placesOf(countries);
  const music = (text: string, fold = foldFormat(text)): Music | null => {
    const [genre, style] = [findGenre(text, fold), findStyle(text, fold)];
    return genre === null && style === null ? null : { genre, style };
  };
  const musicOf = (text: string): Music | null => {
    const fold = foldFormat(text);
    const full = SHORT.get(fold);
    return music(text, fold) ?? (full === undefined ? null : music(full));
  };
  const formatsOf = (text: string): readonly string[] | null => {
    const fold = foldFormat(text);
    const called = FORMATS.get(fold)?.flatMap((name) => findFormat(name, foldFormat(name)) ?? []);
    const found = called ?? [findFormat(text, fold) ?? []].flat();
    return found.length === 0 ? null : found;
  };
  return {
    music: (text) => firstOf(formsOf(text), musicOf),
    formats: (text) => firstOf(formsOf(text), formatsOf),
    place: (text) => places.get(foldName(text)) ?? null,
  };
}

/** Finds a value: first ignoring only case, then by its folded form. */
function finder(values: readonly string[]): (text: string, fold: string) => string | null {
  const byFold = Map.groupBy(values, foldFormat);
  return (text, fold) => {
    const found = byFold.get(fold);
    if (found === undefined) return null;
    const lower = text.toLowerCase();
    return found.find((value) => value.toLowerCase() === lower) ?? found[0] ?? null;
  };
}

/** Only the inch sign distinguishes some formats from a number. */
function foldFormat(text: string): string {
  const [, inches] = /^\s*(7|10|12)(?:"|''|″|”)$/.exec(text) ?? [];
  return inches === undefined ? foldName(text) : `${inches}inch`;
}

function firstOf<T>(forms: readonly string[], find: (form: string) => T | null): T | null {
  for (const form of forms) {
    const found = find(form);
    if (found !== null) return found;
  }
  return null;
}

/** A text and its possible singular forms. */
function formsOf(text: string): string[] {
  const forms = [text];
  if (/(?:ch|x|s)es$/i.test(text)) forms.push(text.slice(0, -2));
  if (/s$/i.test(text)) forms.push(text.slice(0, -1));
  return forms;
}
