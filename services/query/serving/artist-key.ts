import { ApiError } from '../errors.ts';
import { type EntityKey, parseEntityKey } from './entity-key.ts';

const CATALOG_LOCATOR = /^catalog:(\d+)$/i;
const MBID_LOCATOR = /^mbid:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/**
 * @param param name of the path parameter, for a refusal
 * @throws ApiError `use_resolve_for_locator` or `invalid_artist_key`
 */
export function parseArtistKey(text: string, param: string): EntityKey {
  refuseLocator(text, param, CATALOG_LOCATOR, 'catalog');
  refuseLocator(text, param, MBID_LOCATOR, 'mbid');
  const key = parseEntityKey(text);
  if (key === null) throw new ApiError('invalid_artist_key', { param });
  return key;
}

function refuseLocator(key: string, param: string, form: RegExp, scheme: 'catalog' | 'mbid'): void {
  const id = form.exec(key)?.[1];
  if (id === undefined) return;
  throw new ApiError('use_resolve_for_locator', {
    message: `A ${scheme} locator is not an artist key.`,
    param,
    next: `/api/v2/resolve?${scheme}=${id.toLowerCase()}`,
  });
}
