/** Who wants something done to versions, and why; it is written into the record of what operators do. */
export interface Decision {
  readonly actor: string;
  readonly reason: string | null;
}

/** What the system does by itself. */
export const BY_ITSELF: Decision = { actor: 'linernotes', reason: null };
