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

const READ = `
  select consent.receipt, consent.consumer, consent.service, consent.granted_at as "grantedAt",
    coalesce(newest.state, 'queued') as state, newest.failure
  from taste.person
    join taste.consent on consent.person_id = person.id and consent.withdrawn_at is null
    left join taste.account on account.person_id = consent.person_id and account.service = consent.service
      and account.username = consent.username
    left join lateral (
      select state, failure from taste.import
      where account_id = account.id order by requested_at desc, id limit 1
    ) newest on true
  where person.digest = $1
  order by consent.consumer, consent.service`;

/** The connections of a person that stand. */
export async function readConnections(pool: Pool, personSecret: string): Promise<readonly Connection[]> {
  const { rows } = await pool.query<Connection>({
    name: 'read-connections',
    text: READ,
    values: [digestOf(personSecret)],
  });
  return rows;
}

/** Whether the browser's cookie tells a person. */
export async function isKnownPerson(pool: Pool, personSecret: string): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'known-person',
    text: 'select from taste.person where digest = $1',
    values: [digestOf(personSecret)],
  });
  return rowCount === 1;
}
