import { normalizeName } from '../shared/name.ts';
import type { SearchDocument } from './document.ts';

/** The facets of which a release group may have several values, named like their filters. */
export const listFacets = ['genre', 'style', 'format', 'country', 'label'] as const;
export type ListFacet = (typeof listFacets)[number];

/** Characters of the longest value that a filter accepts. */
export const MAX_VALUE_LENGTH = 256;

const valuesIn: Readonly<Record<ListFacet, (document: SearchDocument) => readonly string[]>> = {
  genre: ({ genres }) => genres,
  style: ({ styles }) => styles,
  format: ({ row }) => row.formats,
  country: ({ country }) => (country === null ? [] : [country]),
  label: ({ labels }) => labels,
};

/** The distinct values of a facet, without empty ones and those too long for a filter. */
export const valuesOf = (document: SearchDocument, facet: ListFacet): readonly string[] => {
  const values = valuesIn[facet](document);
  return values.length === 0 ? values : [...new Set(values)].filter(isFilterable);
};

const isFilterable = (value: string): boolean =>
  value.trim() !== '' && (value.length <= MAX_VALUE_LENGTH || [...value].length <= MAX_VALUE_LENGTH);

/** Filters match values by this form: spellings that differ only in case and white space are one value. */
export const foldValue = normalizeName;
