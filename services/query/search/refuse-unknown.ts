import { ApiError } from '../errors.ts';
import { SearchParameters } from '../schemas/search.ts';

const declared = Object.keys(SearchParameters.properties);
const isDeclared = (name: string): boolean => declared.includes(name);

const PATH = '/api/v2/search';
const FACETS_PATH = '/api/v2/facets';

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
 * right where it is clear, without it elsewhere.
 *
 * @throws ApiError `invalid_facet`
 */
export function refuseUnknown(query: Readonly<Record<string, unknown>>): void {
  const unknown = Object.keys(query).find((name) => !isDeclared(name));
  if (unknown === undefined) return;
  throw new ApiError('invalid_facet', {
    param: unknown,
    message: `There is no filter named ${JSON.stringify(unknown.slice(0, 100))}.`,
    next: correctedSearch(query),
  });
}

function correctedSearch(query: Readonly<Record<string, unknown>>): string {
  const corrected = new URLSearchParams();
  const given = new Set(Object.keys(query));
  for (const [name, value] of Object.entries(query)) {
    const meant = isDeclared(name) ? name : meantBy(name);
    if (meant === undefined || (meant !== name && given.has(meant))) continue;
    given.add(meant);
    for (const each of [value].flat()) corrected.append(meant, String(each));
  }
  return corrected.get('q') ? `${PATH}?${corrected}` : FACETS_PATH;
}
