import type { ClientBase, Pool } from 'pg';

export interface AuditEntry {
  /** Who did it. */
  readonly actor: string;
  /** What was done, as in `dead-letters replay`. */
  readonly action: string;
  /** What it was done to. */
  readonly target: string;
  readonly reason?: string | null;
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** Writes down what an operator does; give it the transaction that does it, so that neither is there without the other. */
export async function recordAudit(
  client: ClientBase | Pool,
  { actor, action, target, reason = null, detail = {} }: AuditEntry,
): Promise<void> {
  await client.query(
    'insert into operation.audit (actor, action, target, reason, detail) values ($1, $2, $3, $4, $5)',
    [actor, action, target, reason, JSON.stringify(detail)],
  );
}
