import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';

/** A person with a connected account and its import. */
export interface Connected {
  readonly person: string;
  readonly account: string;
  readonly import: string;
  readonly receipt: string;
}

interface Connection {
  readonly service?: 'scrobbler' | 'catalog';
  readonly username: string;
  readonly consumer?: string;
  /** An existing person. */
  readonly person?: string;
}

const CONNECT = `
  with known as (
    insert into taste.person (id, digest) values (coalesce($1, gen_random_uuid()), $2)
    on conflict (id) do update set seen_at = now() returning id
  ), account as (
    insert into taste.account (person_id, service, username) select id, $3, $4 from known
    on conflict (person_id, service, username) do update set connected_at = now() returning id, person_id
  ), consent as (
    insert into taste.consent (receipt, person_id, consumer, service, username, contract)
    select $5, person_id, $6, $3, $4, 'v1' from account
  )
  insert into taste.import (account_id) select id from account
  returning id as import, account_id as account, (select id from known) as person`;

/** Writes down what the connect page does. */
export async function connectAccount(
  pool: Pool,
  { service = 'catalog', username, consumer = 'app', person }: Connection,
): Promise<Connected> {
  const receipt = `rcpt_v1_${randomBytes(8).toString('hex')}`;
  const { rows } = await pool.query<Omit<Connected, 'receipt'>>(CONNECT, [
    person ?? null,
    randomBytes(32),
    service,
    username,
    receipt,
    consumer,
  ]);
  const [connected] = rows;
  if (connected === undefined) throw new Error('nothing was connected');
  return { ...connected, receipt };
}

export interface ImportState {
  readonly state: string;
  readonly items: number;
  readonly matched: number;
  readonly failure: string | null;
  readonly attempt: number;
  readonly cursor: unknown;
}

export async function importState(pool: Pool, id: string): Promise<ImportState | undefined> {
  const { rows } = await pool.query<ImportState>(
    'select state, items, matched, failure, attempt, cursor from taste.import where id = $1',
    [id],
  );
  return rows[0];
}

/** The items of an account as `name mbid catalogue-id`, by name. */
export async function itemsOf(pool: Pool, account: string): Promise<string[]> {
  const { rows } = await pool.query<{ item: string }>(
    `select concat_ws(' ', name, mbid, catalog_artist_id) as item from taste.item where account_id = $1
     order by name collate "C"`,
    [account],
  );
  return rows.map(({ item }) => item);
}

/** The matches of an account: how each cluster was recognised. */
export async function matchesOf(pool: Pool, account: string): Promise<Record<string, string>> {
  const { rows } = await pool.query<{ cluster_id: string; via: string }>(
    'select cluster_id, via from taste.match where account_id = $1',
    [account],
  );
  return Object.fromEntries(rows.map(({ cluster_id, via }) => [cluster_id, via]));
}
