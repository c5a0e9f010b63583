/** A key of a dossier route: a cluster id of its own keyspace, or a slug. */
export interface EntityKey {
  readonly isCluster: boolean;
  /** 64 lower-case hex digits, or a lower-case slug. */
  readonly value: string;
}

const MAX_CHARACTERS = 200;
const CLUSTER_ID = /^[0-9a-f]{64}$/i;
/** Another scheme, a path, or a control character: never part of a slug. */
const FORBIDDEN = /[:/\p{Cc}]/u;

/** Null where the text is neither a cluster id nor a slug. */
export function parseEntityKey(text: string): EntityKey | null {
  if (CLUSTER_ID.test(text)) return { isCluster: true, value: text.toLowerCase() };
  return isName(text) && !FORBIDDEN.test(text) ? { isCluster: false, value: text.toLowerCase() } : null;
}

/** Whether a path parameter may name something at all: 1 to 200 characters, not all white space. */
export function isName(text: string): boolean {
  // A character is two UTF-16 units at most, which spares counting those of a very long one.
  const isTooLong = text.length > 2 * MAX_CHARACTERS || [...text].length > MAX_CHARACTERS;
  return !isTooLong && text.trim() !== '' && text.isWellFormed();
}
