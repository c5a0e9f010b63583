import type { Pool } from 'pg';
import type { ConsentService } from '../contract/contract.ts';
import { digestOf } from '../profile/secrets.ts';

/** One consent of a person, and the state of its import; none of its content. */
export interface SourceConnection {
  readonly receipt: string;
  /** Id of the consumer. */
  readonly consumer: string;
  readonly service: ConsentService;
  readonly grantedAt: Date;
  /** Null while it is active. */
  readonly endedAt: Date | null;
  /** The receipt of its withdrawal; null if the person did not withdraw it. */
  readonly withdrawalReceipt: string | null;
  readonly state: 'queued' | 'running' | 'done' | 'failed';
  /** Why the import failed, as a code. */
  readonly failure: string | null;
}

// A visit counts as seen. Once an hour is often enough to write it.
const READ = `
  with seen as (
    update taste.person set seen_at = now() where digest = $1 and seen_at < now() - interval '1 hour'
  )
  select consent.receipt, consent.consumer, consent.service, consent.granted_at as "grantedAt",
    withdrawn_at as "endedAt", withdrawal_receipt as "withdrawalReceipt",
    coalesce(newest.state, 'queued') as state, newest.failure
  from taste.person
    left join taste.consent on consent.person_id = person.id
    left join taste.account on withdrawn_at is null and account.person_id = consent.person_id and account.service = consent.service
      and account.username = consent.username
    left join lateral (
      select state, failure from taste.import
      where account_id = account.id order by requested_at desc, id limit 1
    ) newest on true
  where person.digest = $1
  order by withdrawn_at is not null, withdrawn_at desc, consent.consumer, consent.service`;

/** A person without connections has one row of nulls. */
type Row = Omit<SourceConnection, 'receipt'> & { readonly receipt: string | null };

/** The consents of a person, active ones first; null if the browser's cookie identifies none. Records the visit. */
export async function readConnections(
  pool: Pool,
  personSecret: string,
): Promise<readonly SourceConnection[] | null> {
  const { rows } = await pool.query<Row>({
    name: 'read-connections',
    text: READ,
    values: [digestOf(personSecret)],
  });
  return rows.length === 0 ? null : rows.filter((row): row is SourceConnection => row.receipt !== null);
}

/** A person who has connected from this browser before. */
export interface KnownPerson {
  readonly isConnected: boolean;
  /** Whether a consumer is shown the service already. */
  readonly isShown: boolean;
}

const KNOWN = `
  select count(receipt) > 0 as "isConnected",
    coalesce(bool_or(consumer = $2 and service = $3), false) as "isShown"
  from taste.person left join taste.consent on person_id = person.id and withdrawn_at is null
  where digest = $1
  group by person.id`;

/**
 * The person whom the browser's cookie identifies; null if none.
 *
 * @param options.consumer id of the requesting consumer
 */
export async function readKnownPerson(
  pool: Pool,
  personSecret: string,
  { consumer, service }: { readonly consumer: string; readonly service: ConsentService },
): Promise<KnownPerson | null> {
  const { rows } = await pool.query<KnownPerson>({
    name: 'known-person',
    text: KNOWN,
    values: [digestOf(personSecret), consumer, service],
  });
  return rows[0] ?? null;
}
