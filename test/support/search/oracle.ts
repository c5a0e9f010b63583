import type { SearchDocument } from '../../../projections/models/search/document.ts';
import { splitWords } from '../../../projections/models/search/words.ts';
import type { SearchFilters } from '../../../services/query/plain-language/interpretation.ts';

/** What a search has to come to. */
export interface ExpectedFound {
  readonly ids: readonly number[];
  readonly facets: Readonly<Record<string, readonly { readonly value: string; readonly count: number }[]>>;
}

/** Goes through all release groups, one by one. */
export function searchPlainly(
  documents: readonly SearchDocument[],
  q: string,
  filters: SearchFilters,
): ExpectedFound {
  const found = documents
    .filter((document) => matches(document, q) && passes(document, filters))
    .map((document) => ({ document, group: groupOf(document, q) }))
    .sort(
      (a, b) =>
        a.group - b.group ||
        counted(b.document.row.owner_count) - counted(a.document.row.owner_count) ||
        counted(b.document.row.dj_count) - counted(a.document.row.dj_count) ||
        a.document.row.master_id - b.document.row.master_id,
    )
    .map(({ document }) => document);
  return { ids: found.map(({ row }) => row.master_id), facets: facetsOf(found) };
}

const counted = (count: number | null): number => count ?? Number.NEGATIVE_INFINITY;

const wordsIn = (text: string): string[] => {
  const { words, further } = splitWords(text);
  return [...words, ...further];
};

/** Whether all words but the last are there whole, and one that begins with the last. */
function hasWords(q: string, words: readonly string[]): boolean {
  const asked = splitWords(q).words;
  const last = asked.at(-1);
  if (last === undefined) return true;
  return (
    asked.slice(0, -1).every((word) => words.includes(word)) && words.some((word) => word.startsWith(last))
  );
}

const matches = ({ row }: SearchDocument, q: string): boolean =>
  hasWords(q, [...wordsIn(row.title), ...wordsIn(row.artist)]);

const joined = (text: string): string => splitWords(text).words.join('');

function groupOf({ row }: SearchDocument, q: string): number {
  const asked = joined(q);
  if (asked === '') return 2;
  const [title, artist] = [joined(row.title), joined(row.artist)];
  if ([title, artist, artist + title].includes(asked)) return 0;
  return hasWords(q, wordsIn(row.title)) ? 1 : 2;
}

const valuesIn = (document: SearchDocument): Record<string, readonly string[]> => ({
  genre: document.genres,
  style: document.styles,
  format: document.row.formats,
  country: document.country === null ? [] : [document.country],
  label: document.labels,
  cube_quadrant: document.row.cube_quadrant === null ? [] : [document.row.cube_quadrant],
});

function passes(document: SearchDocument, filters: SearchFilters): boolean {
  const { row } = document;
  const values = valuesIn(document);
  for (const facet of ['genre', 'style', 'format', 'country', 'label'] as const) {
    const wanted = filters[facet]?.map((value) => value.toLowerCase());
    if (wanted === undefined) continue;
    const own = (values[facet] ?? []).map((value) => value.toLowerCase());
    const isThere = (value: string): boolean => own.includes(value);
    if (!(filters[`${facet}_mode`] === 'and' ? wanted.every(isThere) : wanted.some(isThere))) return false;
  }
  const { year_from, year_to, cube_quadrant, dj_count_min, exclude_artist, exclude_label } = filters;
  if (year_from !== undefined && !(row.year !== null && row.year >= year_from)) return false;
  if (year_to !== undefined && !(row.year !== null && row.year <= year_to)) return false;
  if (cube_quadrant !== undefined && row.cube_quadrant !== cube_quadrant) return false;
  if (dj_count_min !== undefined && !(row.dj_count !== null && row.dj_count >= dj_count_min)) return false;
  if (exclude_artist !== undefined && joined(exclude_artist) === joined(row.artist)) return false;
  const isExcluded = (label: string): boolean => label.toLowerCase() === exclude_label?.toLowerCase();
  return exclude_label === undefined || !document.labels.some(isExcluded);
}

function facetsOf(found: readonly SearchDocument[]): ExpectedFound['facets'] {
  const facets = ['genre', 'style', 'format', 'country', 'label', 'cube_quadrant'];
  return Object.fromEntries(
    facets.map((facet) => [
      facet,
      countsOf(found.map((document) => [...new Set(valuesIn(document)[facet] ?? [])])),
    ]),
  );
}

/** One value for all spellings that differ in case alone, each list counted once. */
function countsOf(lists: readonly (readonly string[])[]): { value: string; count: number }[] {
  const spelt = lists.flat();
  const times = (value: string): number => spelt.filter((other) => other === value).length;
  const bySpelling = Map.groupBy(new Set(spelt), (value) => value.toLowerCase());
  return [...bySpelling.values()]
    .map((spellings) => {
      const [value = ''] = spellings.toSorted((a, b) => times(b) - times(a) || (a < b ? -1 : 1));
      return { value, count: lists.filter((list) => list.some((each) => spellings.includes(each))).length };
    })
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}
