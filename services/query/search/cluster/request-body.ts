import type { API, Types } from '@opensearch-project/opensearch';
import { UNKNOWN } from '../../../../projections/models/search/columns.ts';
import type { SearchQuery } from '../query.ts';

type Clause = Types.Common_QueryDsl.QueryContainer;
type RequestBody = API.Search_RequestBody;

const term = (field: string, value: string): Clause => ({ term: { [field]: { value } } });
const range = (field: string, bounds: { readonly gte?: number; readonly lte?: number }): Clause => ({
  range: { [field]: bounds },
});

/** Order within a group: by owners, plays and id, so that no two are equal. */
const BY_POPULARITY = [
  { owners: { order: 'desc' as const } },
  { djs: { order: 'desc' as const } },
  { id: { order: 'asc' as const } },
];

/** Scores of the groups of results: exact matches, matches with all words in the title, the rest. */
const EXACT = 2;
const IN_TITLE = 1;

/** The matches of a search. Those of an earlier group have a higher score. */
export function matching(query: SearchQuery): Clause {
  return {
    bool: {
      filter: [...wordsIn('words', query), ...filtersOf(query)],
      must_not: exclusionsOf(query),
      should: groupsOf(query),
      minimum_should_match: 0,
    },
  };
}

/** The results of a search in their order, without how many to skip. */
export const rankedBody = (query: SearchQuery): RequestBody => ({
  query: matching(query),
  sort: [{ _score: { order: 'desc' } }, ...BY_POPULARITY],
  _source: ['row'],
});

/** Required words, and one that begins with the prefix. */
const wordsIn = (field: 'words' | 'title', { words, prefix }: SearchQuery): Clause[] => [
  ...words.map((word) => term(field, word)),
  ...(prefix === null ? [] : [{ prefix: { [field]: { value: prefix } } }]),
];

function groupsOf(query: SearchQuery): Clause[] {
  if (query.prefix === null) return [];
  const exact: Clause = { terms: { exact: query.exact.map(String) } };
  const inTitle = wordsIn('title', query);
  return [
    { constant_score: { filter: exact, boost: EXACT } },
    { constant_score: { filter: { bool: { filter: inTitle, must_not: [exact] } }, boost: IN_TITLE } },
  ];
}

/** Unknown numbers are stored as the least number, which no filter reaches. */
const LEAST = UNKNOWN + 1;
const GREATEST = 2 ** 31 - 1;

function filtersOf({ lists, yearFrom, yearTo, quadrant, djCountMin }: SearchQuery): Clause[] {
  const filters = lists.flatMap(({ facet, values, mode }): Clause[] =>
    mode === 'and' ? values.map((value) => term(facet, value)) : [{ terms: { [facet]: [...values] } }],
  );
  if (quadrant !== null) filters.push(term('quadrant', quadrant.toString(2).padStart(3, '0')));
  if (djCountMin !== null) filters.push(range('djs', { gte: Math.max(djCountMin, LEAST) }));
  if (yearFrom !== null || yearTo !== null)
    filters.push(range('year', { gte: yearFrom ?? LEAST, lte: yearTo ?? GREATEST }));
  return filters;
}

function exclusionsOf({ excludedArtist, excludedLabel }: SearchQuery): Clause[] {
  const excluded: Clause[] = excludedLabel === null ? [] : [term('label', excludedLabel)];
  // Names with the same hash differ in their words.
  if (excludedArtist !== null) {
    const { hash, words } = excludedArtist;
    excluded.push({
      bool: { filter: [term('exact', String(hash)), ...words.map((word) => term('words', word))] },
    });
  }
  return excluded;
}
