import { ApiError } from '../errors.ts';

/** A key of the artist routes: the lane it belongs to, and the value it is looked up by. */
export interface ArtistKey {
  readonly isCluster: boolean;
  /** 64 lower-case hex digits, or a lower-case slug. */
  readonly value: string;
}

const MAX_CHARACTERS = 200;
const CLUSTER_ID = /^[0-9a-f]{64}$/i;
const CATALOG_LOCATOR = /^catalog:(\d+)$/i;
const MBID_LOCATOR = /^mbid:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;
/** Another scheme, a path, or a control character: never part of a slug. */
const FORBIDDEN = /[:/\p{Cc}]/u;

/**
 * @param param name of the path parameter, for a refusal
 * @throws ApiError `use_resolve_for_locator` or `invalid_artist_key`
 */
export function parseArtistKey(key: string, param: string): ArtistKey {
  if (CLUSTER_ID.test(key)) return { isCluster: true, value: key.toLowerCase() };
  refuseLocator(key, param, CATALOG_LOCATOR, 'catalog');
  refuseLocator(key, param, MBID_LOCATOR, 'mbid');
  // A character is two UTF-16 units at most, which spares counting those of a very long key.
  const isTooLong = key.length > 2 * MAX_CHARACTERS || [...key].length > MAX_CHARACTERS;
  if (isTooLong || key.trim() === '' || FORBIDDEN.test(key) || !key.isWellFormed())
    throw new ApiError('invalid_artist_key', { param });
  return { isCluster: false, value: key.toLowerCase() };
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
