import type { Types } from '@opensearch-project/opensearch';
import { storedCount } from '../columns.ts';
import type { SearchDocument, SearchRow, SpacedWords } from '../document.ts';
import { exactHashes } from '../exact.ts';
import { foldValue, type ListFacet, listFacets, valuesOf } from '../facets.ts';

/** The field with the values of a facet as they are written: `<folded>\n<value>`. */
export const spellingsOf = (facet: ListFacet): `${ListFacet}_spelt` => `${facet}_spelt`;

/** A folded value has no line break, so it can be told from the value after it. */
const SEPARATOR = '\n';
const spelt = (value: string): string => `${foldValue(value)}${SEPARATOR}${value}`;

/** The two parts of an entry in a field of spellings. */
export function splitSpelling(entry: string): { readonly folded: string; readonly value: string } {
  const at = entry.indexOf(SEPARATOR);
  return { folded: entry.slice(0, at), value: entry.slice(at + 1) };
}

/** A release group as the cluster indexes it. Only `row` is kept for responses. */
export type IndexedDocument = Readonly<Record<ListFacet | `${ListFacet}_spelt`, readonly string[]>> & {
  readonly row: SearchRow;
  readonly id: number;
  /** All words of title and artist, in all spellings. */
  readonly words: readonly string[];
  readonly title: readonly string[];
  /** Whole-text hashes of title, artist and both. */
  readonly exact: readonly string[];
  /** Counts and year as in the columns of a segment: unknown ones are the least number. */
  readonly owners: number;
  readonly djs: number;
  readonly year: number;
  readonly quadrant: string | null;
};

export function indexedDocument(document: SearchDocument): IndexedDocument {
  const { title, artist } = document;
  const row = wellFormedRow(document.row);
  const inTitle = wordsIn(title);
  const facets = listFacets.map((facet) => [facet, valuesOf(document, facet).map(wellFormed)] as const);
  return {
    ...(Object.fromEntries(
      facets.flatMap(([facet, values]) => [
        [facet, [...new Set(values.map(foldValue))]],
        [spellingsOf(facet), values.map(spelt)],
      ]),
    ) as Record<ListFacet | `${ListFacet}_spelt`, string[]>),
    row,
    id: row.master_id,
    words: [...new Set([...inTitle, ...wordsIn(artist)])],
    title: inTitle,
    exact: exactHashes(title, artist).map(String),
    owners: storedCount(row.owner_count),
    djs: storedCount(row.dj_count),
    year: storedCount(row.year),
    quadrant: row.cube_quadrant,
  };
}

/** The cluster rejects a whole document for half a surrogate pair. */
const wellFormed = (text: string): string => text.toWellFormed();

const wellFormedRow = (row: SearchRow): SearchRow => ({
  ...row,
  title: wellFormed(row.title),
  artist: wellFormed(row.artist),
  formats: row.formats.map(wellFormed),
});

const wordsIn = ({ words, further }: SpacedWords): string[] =>
  `${words} ${further}`.split(' ').filter((word) => word !== '');

/** Words are split by the application, for index and query alike, so every text is a keyword. */
const searched = { type: 'keyword', doc_values: false } as const;
const counted = { type: 'keyword' } as const;

/** The mapping of an index: how each field is searched, sorted or counted. */
export const MAPPING: Types.Common_Mapping.TypeMapping = {
  dynamic: 'strict',
  _source: { includes: ['row'] },
  properties: {
    row: { type: 'object', enabled: false },
    id: { type: 'long' },
    words: searched,
    title: searched,
    exact: searched,
    owners: { type: 'integer' },
    djs: { type: 'integer' },
    year: { type: 'integer' },
    quadrant: counted,
    ...Object.fromEntries(
      listFacets.flatMap((facet) => [
        [facet, counted],
        [spellingsOf(facet), counted],
      ]),
    ),
  },
};
