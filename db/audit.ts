import type { ClientBase, Pool } from 'pg';

export interface AuditEntry {
  /** The operator. */
  readonly actor: string;
  /** The command, as in `dead-letters replay`. */
  readonly action: string;
  /** The object of the action. */
  readonly target: string;
  readonly reason?: string | null;
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** Records what an operator does. @param client the transaction that does it, so that both commit together */
export async function recordAudit(
  client: ClientBase | Pool,
  { actor, action, target, reason = null, detail = {} }: AuditEntry,
): Promise<void> {
  await client.query(
    'insert into operation.audit (actor, action, target, reason, detail) values ($1, $2, $3, $4, $5)',
    [actor, action, target, reason, JSON.stringify(detail)],
  );
}
