import { normalizeName } from '../identity/name.ts';
import type { SearchDocument } from './document.ts';

/** The facets that a release group may have several values of, under the names of their filters. */
export const listFacets = ['genre', 'style', 'format', 'country', 'label'] as const;
export type ListFacet = (typeof listFacets)[number];

/** Characters of the longest value that can be asked for. */
export const MAX_VALUE_LENGTH = 256;

const valuesIn: Readonly<Record<ListFacet, (document: SearchDocument) => readonly string[]>> = {
  genre: ({ genres }) => genres,
  style: ({ styles }) => styles,
  format: ({ row }) => row.formats,
  country: ({ country }) => (country === null ? [] : [country]),
  label: ({ labels }) => labels,
};

/** The values of a facet, each once. One that is too long to be asked for is left out, and so is an empty one. */
export const valuesOf = (document: SearchDocument, facet: ListFacet): readonly string[] => {
  const values = valuesIn[facet](document);
  return values.length === 0 ? values : [...new Set(values)].filter(isAskable);
};

const isAskable = (value: string): boolean =>
  value.trim() !== '' && (value.length <= MAX_VALUE_LENGTH || [...value].length <= MAX_VALUE_LENGTH);

/** The same for spellings that differ in case and white space alone; by it a filter finds its values. */
export const foldValue = normalizeName;
