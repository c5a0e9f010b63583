import { ApiError } from '../errors.ts';
import { SearchParameters } from '../schemas/search.ts';

const declared = Object.keys(SearchParameters.properties);
const isDeclared = (name: string): boolean => declared.includes(name);

const PATH = '/api/v2/search';
const FACETS_PATH = '/api/v2/facets';

type Given = Readonly<Record<string, unknown>>;
type IsValid = (query: Record<string, unknown>) => boolean;

/** As a query string is read: one value, or a list of several. */
const asGiven = ([first, ...others]: string[]): unknown => (others.length === 0 ? first : [first, ...others]);

/** The letters of a name, in the singular: what is left of a name that was all but right. */
const plainName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z]/g, '')
    .replace(/s$/, '');

const meantBy = (name: string): string | undefined =>
  declared.find((known) => plainName(known) === plainName(name));

/**
 * Refuses a search with a parameter that there is none of, and says which search may have been meant: with the name put
 * right where it is clear, without it elsewhere, and without what does not fit.
 *
 * @param isValid whether a search would be answered; it may change what it is given
 * @throws ApiError `invalid_facet`
 */
export function refuseUnknown(query: Given, isValid: IsValid): void {
  const unknown = Object.keys(query).find((name) => !isDeclared(name));
  if (unknown === undefined) return;
  throw new ApiError('invalid_facet', {
    param: unknown,
    message: `There is no filter named ${JSON.stringify(unknown.slice(0, 100))}.`,
    next: correctedSearch(query, isValid),
  });
}

function correctedSearch(query: Given, isValid: IsValid): string {
  const corrected = new Map<string, string[]>();
  const given = new Set(Object.keys(query));
  for (const [name, value] of Object.entries(query)) {
    const meant = isDeclared(name) ? name : meantBy(name);
    if (meant === undefined || (meant !== name && given.has(meant))) continue;
    given.add(meant);
    const values = [value].flat().map(String);
    if (isValid({ q: 'a', [meant]: asGiven(values) })) corrected.set(meant, values);
  }
  if (!corrected.has('q')) return FACETS_PATH;
  const search = new URLSearchParams();
  for (const [name, values] of corrected) for (const each of values) search.append(name, each);
  return `${PATH}?${search}`;
}
