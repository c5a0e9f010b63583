import { ApiError, errorCatalogue } from '../../http/errors.ts';
import { nearest } from '../../http/nearest.ts';
import { SearchParameters } from './schema.ts';

const declared = Object.keys(SearchParameters.properties);
const isDeclared = (name: string): boolean => declared.includes(name);

const PATH = '/api/v2/search';
const FACETS_PATH = '/api/v2/facets';

type QueryParameters = Readonly<Record<string, unknown>>;
type IsValid = (query: Record<string, unknown>) => boolean;

/** The parsed form of a query string: one value, or a list of several. */
const asParsed = ([first, ...others]: string[]): unknown =>
  others.length === 0 ? first : [first, ...others];

/** The letters of a name in the singular, to recognise a slightly wrong name. */
const plainName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z]/g, '')
    .replace(/s$/, '');

const meantBy = (name: string): string | undefined =>
  declared.find((known) => plainName(known) === plainName(name)) ?? nearest(name, declared);

/**
 * Rejects a search with an unknown parameter and suggests a corrected search: misspelt names are corrected, unknown and
 * invalid parameters are dropped.
 *
 * @param isValid whether a search is valid; it may change its argument
 * @throws ApiError `invalid_facet`
 */
export function rejectUnknown(query: QueryParameters, isValid: IsValid): void {
  const unknown = Object.keys(query).find((name) => !isDeclared(name));
  if (unknown === undefined) return;
  const meant = meantBy(unknown);
  throw new ApiError('invalid_facet', {
    param: unknown,
    message: `Unknown search filter ${JSON.stringify(unknown.slice(0, 100))}.`,
    ...(meant === undefined ? {} : { hint: `Did you mean ${meant}? ${errorCatalogue.invalid_facet.hint}` }),
    next: correctedSearch(query, isValid),
  });
}

function correctedSearch(query: QueryParameters, isValid: IsValid): string {
  const corrected = new Map<string, string[]>();
  const given = new Set(Object.keys(query));
  for (const [name, value] of Object.entries(query)) {
    const meant = isDeclared(name) ? name : meantBy(name);
    if (meant === undefined || (meant !== name && given.has(meant))) continue;
    given.add(meant);
    const values = [value].flat().map(String);
    if (isValid({ q: 'a', [meant]: asParsed(values) })) corrected.set(meant, values);
  }
  if (!corrected.has('q')) return FACETS_PATH;
  const search = new URLSearchParams();
  for (const [name, values] of corrected) for (const each of values) search.append(name, each);
  return `${PATH}?${search}`;
}
