import { ApiError } from '../../http/errors.ts';

/** A key of a dossier route: a cluster id of its own keyspace, or a slug. */
export interface EntityKey {
  readonly isCluster: boolean;
  /** 64 lower-case hex digits, or a lower-case slug. */
  readonly value: string;
}

const MAX_CHARACTERS = 200;
const CLUSTER_ID = /^[0-9a-f]{64}$/;
/** Too many hex digits for a slug: a cluster id that was cut, joined or capitalised. */
const ABOUT_CLUSTER_ID = /^[0-9a-f]{60,68}$/i;
/** Another scheme, a path, or a control character: never part of a slug. */
const FORBIDDEN = /[:/\p{Cc}]/u;

/**
 * @param param name of the path parameter, for the error
 * @throws ApiError of the code if the text is neither a cluster id nor a slug
 */
export function requireEntityKey(
  text: string,
  param: string,
  code: 'invalid_artist_key' | 'invalid_label_key',
): EntityKey {
  const key = parseEntityKey(text);
  if (key !== null) return key;
  const fault = clusterIdFault(text);
  throw new ApiError(code, {
    param,
    ...(fault === null ? {} : { message: `The key ${fault}.`, hint: HINTS[code] }),
  });
}

const HINTS = {
  invalid_artist_key:
    'Pass the cluster_id of another response verbatim, or resolve the name with GET /api/v2/resolve?q=<name>.',
  invalid_label_key: 'Pass the cluster_id of another response verbatim, or the slug of the label.',
} as const;

/** What is wrong with a malformed cluster id, as the end of a sentence; null for other texts. */
export function clusterIdFault(text: string): string | null {
  if (!ABOUT_CLUSTER_ID.test(text) || CLUSTER_ID.test(text)) return null;
  return text.length === 64
    ? 'has capital letters, and cluster ids are lower case'
    : `has ${text.length} hex digits, and cluster ids have 64`;
}

/** Null if the text is neither a cluster id nor a slug. */
export function parseEntityKey(text: string): EntityKey | null {
  if (CLUSTER_ID.test(text)) return { isCluster: true, value: text };
  if (ABOUT_CLUSTER_ID.test(text)) return null;
  return isName(text) && !FORBIDDEN.test(text) ? { isCluster: false, value: text.toLowerCase() } : null;
}

/** Whether a path parameter can be a name: 1 to 200 characters, not all white space. */
export function isName(text: string): boolean {
  // A character has at most two UTF-16 units, so a very long text need not be counted.
  const isTooLong = text.length > 2 * MAX_CHARACTERS || [...text].length > MAX_CHARACTERS;
  return !isTooLong && text.trim() !== '' && text.isWellFormed();
}
