import { Value } from '@sinclair/typebox/value';
import { foldName } from '../fold.ts';
import type { Interpretation, SearchFilters, Vocabulary } from '../interpretation.ts';
import { AcceptedAnswer } from './answer.ts';

/** Confidence of an answer that gives none. */
const DEFAULT_CONFIDENCE = 0.5;

type ModelFilters = AcceptedAnswer['filters'];
type ListFacet = 'genre' | 'style' | 'format' | 'country' | 'label';
type TextFilter = 'exclude_artist' | 'exclude_label';

/**
 * Validates the answer of a model. Unknown filters and values that the index lacks are dropped, so that the outcome is
 * always a search, whatever the text made the model do.
 *
 * @throws Error if the answer does not have the requested form
 */
export async function acceptAnswer(
  content: string,
  text: string,
  vocabulary: Vocabulary,
): Promise<Interpretation> {
  const answer: unknown = JSON.parse(content);
  if (!Value.Check(AcceptedAnswer, answer)) throw new Error('the answer does not have the requested form');
  const rejected: string[] = [];
  const filters: SearchFilters = {
    ...(await listFilters(answer.filters, vocabulary, rejected)),
    ...yearsOf(answer.filters),
    ...plainFilters(answer.filters),
    ...(await excluded(answer.filters, vocabulary, rejected)),
  };
  const q = plainText(answer.q);
  if (q === '' && Object.keys(filters).length === 0)
    throw new Error('the answer has neither words nor filters');
  const accepted = Object.keys(filters).length;
  const share = rejected.length === 0 ? 1 : accepted / (accepted + rejected.length);
  return {
    q,
    filters,
    engine: 'model',
    confidence: Math.round((answer.confidence ?? DEFAULT_CONFIDENCE) * share * 100) / 100,
    unmatched: unmatchedOf([...(answer.unmatched ?? []), ...rejected], text),
  };
}

/** The text on one line, without control characters. */
const plainText = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim();

async function listFilters(
  given: ModelFilters,
  vocabulary: Vocabulary,
  rejected: string[],
): Promise<SearchFilters> {
  const { genres, styles, formats, countries } = vocabulary;
  const known = { genre: genres, style: styles, format: formats, country: countries };
  const filters: SearchFilters = {};
  for (const facet of ['genre', 'style', 'format', 'country', 'label'] as const) {
    const values = given[facet] ?? [];
    const find = facet === 'label' ? (name: string) => vocabulary.labels(name) : spellingOf(known[facet]);
    const spelt = await Promise.all(values.map(find));
    rejected.push(...values.filter((_, index) => spelt[index] === null));
    Object.assign(filters, listFilter(facet, spelt, given[`${facet}_mode`] ?? null));
  }
  return filters;
}

function listFilter(
  facet: ListFacet,
  spelt: readonly (string | null)[],
  mode: 'and' | 'or' | null,
): SearchFilters {
  const values = [...new Set(spelt.flatMap((value) => value ?? []))];
  if (values.length === 0) return {};
  return { [facet]: values, ...(values.length > 1 && mode !== null ? { [`${facet}_mode`]: mode } : {}) };
}

const spellingOf = (values: readonly string[]) => {
  const byFold = new Map(values.toReversed().map((value) => [foldName(value), value]));
  const exact = new Set(values);
  return async (value: string): Promise<string | null> =>
    exact.has(value) ? value : (byFold.get(foldName(value)) ?? null);
};

/** Drops a range that ends before it starts. */
function yearsOf({ year_from: from, year_to: to }: ModelFilters): SearchFilters {
  if (typeof from === 'number' && typeof to === 'number' && from > to) return {};
  return {
    ...(typeof from === 'number' ? { year_from: from } : {}),
    ...(typeof to === 'number' ? { year_to: to } : {}),
  };
}

const plainFilters = ({ cube_quadrant, dj_count_min }: ModelFilters): SearchFilters => ({
  ...(typeof cube_quadrant === 'string' ? { cube_quadrant } : {}),
  ...(typeof dj_count_min === 'number' ? { dj_count_min } : {}),
});

async function excluded(
  given: ModelFilters,
  vocabulary: Vocabulary,
  rejected: string[],
): Promise<SearchFilters> {
  const textOf = (filter: TextFilter): string => plainText(given[filter] ?? '');
  const [artist, name] = [textOf('exclude_artist'), textOf('exclude_label')];
  const label = name === '' ? null : await vocabulary.labels(name);
  if (name !== '' && label === null) rejected.push(name);
  return {
    ...(artist === '' ? {} : { exclude_artist: artist }),
    ...(label === null ? {} : { exclude_label: label }),
  };
}

/** Keeps only words of the text, so that invented words are not shown. */
function unmatchedOf(words: readonly string[], text: string): string[] {
  const known = foldName(text);
  const isOfText = (word: string): boolean => foldName(word) !== '' && known.includes(foldName(word));
  return [...new Set(words.map(plainText))].filter(isOfText);
}
