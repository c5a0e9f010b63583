import { ApiError } from '../../http/errors.ts';
import { type EntityKey, requireEntityKey } from '../dossier/entity-key.ts';

/** The errors of routes with an artist key. */
export const ARTIST_KEY_ERRORS = ['invalid_artist_key', 'use_resolve_for_locator'] as const;

/** Locators that look like keys, by scheme. */
const LOCATORS = {
  catalog: /^catalog:(\d+)$/i,
  mbid: /^mbid:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i,
};

/**
 * @param param name of the path parameter, for the error
 * @throws ApiError `use_resolve_for_locator` or `invalid_artist_key`
 */
export function parseArtistKey(text: string, param: string): EntityKey {
  rejectLocator(text, param);
  return requireEntityKey(text, param, 'invalid_artist_key');
}

function rejectLocator(text: string, param: string): void {
  for (const [scheme, form] of Object.entries(LOCATORS)) {
    const id = form.exec(text)?.[1];
    if (id === undefined) continue;
    throw new ApiError('use_resolve_for_locator', {
      message: `A ${scheme} locator is not an artist key.`,
      param,
      next: `/api/v2/resolve?${scheme}=${id.toLowerCase()}`,
    });
  }
}
