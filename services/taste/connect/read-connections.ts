import type { Pool } from 'pg';
import type { Service } from '../contract/contract.ts';
import { digestOf } from '../profile/secrets.ts';

/** One source that a person shows to a consumer, and how far its import is. Nothing here tells what was imported. */
export interface Connection {
  readonly receipt: string;
  /** Id of the consumer. */
  readonly consumer: string;
  readonly service: Service;
  readonly grantedAt: Date;
  readonly state: 'queued' | 'running' | 'done' | 'failed';
  /** Why the import failed, as a code. */
  readonly failure: string | null;
}

// Whoever looks is seen, about which each hour is soon enough to write.
const READ = `
  with seen as (
    update taste.person set seen_at = now() where digest = $1 and seen_at < now() - interval '1 hour'
  )
  select consent.receipt, consent.consumer, consent.service, consent.granted_at as "grantedAt",
    coalesce(newest.state, 'queued') as state, newest.failure
  from taste.person
    left join taste.consent on consent.person_id = person.id and consent.withdrawn_at is null
    left join taste.account on account.person_id = consent.person_id and account.service = consent.service
      and account.username = consent.username
    left join lateral (
      select state, failure from taste.import
      where account_id = account.id order by requested_at desc, id limit 1
    ) newest on true
  where person.digest = $1
  order by consent.consumer, consent.service`;

/** A person without connections has one row, of nothing. */
type Row = Omit<Connection, 'receipt'> & { readonly receipt: string | null };

/** The connections of a person that stand; null where the browser's cookie tells nobody. Notes that the person was seen. */
export async function readConnections(
  pool: Pool,
  personSecret: string,
): Promise<readonly Connection[] | null> {
  const { rows } = await pool.query<Row>({
    name: 'read-connections',
    text: READ,
    values: [digestOf(personSecret)],
  });
  return rows.length === 0 ? null : rows.filter((row): row is Connection => row.receipt !== null);
}

/** What stands of whoever has connected from a browser before. */
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
 * The person whom the browser's cookie tells; null where it tells nobody.
 *
 * @param consumer id of whoever asks now
 */
export async function readKnownPerson(
  pool: Pool,
  personSecret: string,
  consumer: string,
  service: Service,
): Promise<KnownPerson | null> {
  const { rows } = await pool.query<KnownPerson>({
    name: 'known-person',
    text: KNOWN,
    values: [digestOf(personSecret), consumer, service],
  });
  return rows[0] ?? null;
}
