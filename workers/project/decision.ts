/** Who changes versions and why, for the audit log. */
export interface Decision {
  readonly actor: string;
  readonly reason: string | null;
}

/** A change that no operator asked for. */
export const AUTOMATIC: Decision = { actor: 'linernotes', reason: null };
