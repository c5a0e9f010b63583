import type { ClientBase, Pool } from 'pg';

interface ConsumerRow {
  readonly consumer: string;
}

/** The pseudonym of a person for one consumer. */
interface Subject extends ConsumerRow {
  readonly sub: string;
}

/** Derives the pseudonym of a person for a consumer. */
type NameSubject = (subject: { readonly consumer: string; readonly person: string }) => string;

/** All stored data about a person, with the names of the tables, without the digests of secrets. */
interface PersonRecord {
  readonly person: object;
  /** Derived, not stored; absent without a secret to derive them. */
  readonly subjects?: readonly Subject[];
  readonly consents: readonly ConsumerRow[];
  readonly accounts: readonly object[];
  readonly tokens: readonly ConsumerRow[];
  readonly codes: readonly ConsumerRow[];
}

const TOKENS_AND_CODES = `
  'tokens', (
    select coalesce(json_agg(json_build_object('consumer', consumer, 'scopes', json_build_array('profile:read'),
      'created_at', created_at, 'used_at', used_at, 'expires_at', expires_at, 'revoked_at', revoked_at)
      order by created_at, digest), '[]')
    from taste.token where person_id = person.id),
  'codes', (
    select coalesce(json_agg(json_build_object('consumer', consumer, 'service', service, 'minted_at', minted_at,
      'expires_at', expires_at, 'claimed_at', claimed_at) order by minted_at, digest), '[]')
    from taste.code where person_id = person.id)`;

const IMPORTS_ITEMS_MATCHES = `
  'imports', (
    select coalesce(json_agg(json_build_object('id', id, 'state', state, 'requested_at', requested_at,
      'started_at', started_at, 'finished_at', finished_at, 'items', items, 'matched', matched, 'failure', failure)
      order by requested_at, id), '[]')
    from taste.import where account_id = account.id),
  'items', (
    select coalesce(json_agg(json_build_object('name', name, 'mbid', mbid, 'catalog_artist_id', catalog_artist_id)
      order by key), '[]')
    from taste.item where account_id = account.id),
  'matches', (
    select coalesce(json_agg(json_build_object('cluster_id', cluster_id, 'via', via) order by cluster_id), '[]')
    from taste.match where account_id = account.id)`;

const RECORD = `
  select json_build_object(
    'person', json_build_object('id', id, 'created_at', created_at, 'seen_at', seen_at,
      'exchanged_at', exchanged_at),
    'consents', (
      select coalesce(json_agg(json_build_object('receipt', receipt, 'consumer', consumer, 'service', service,
        'username', username, 'contract', contract, 'granted_at', granted_at, 'withdrawn_at', withdrawn_at,
        'withdrawal_receipt', withdrawal_receipt)
        order by granted_at, receipt), '[]')
      from taste.consent where person_id = person.id),
    'accounts', (
      select coalesce(json_agg(json_build_object('service', service, 'username', username,
        'connected_at', connected_at, ${IMPORTS_ITEMS_MATCHES}) order by service, username), '[]')
      from taste.account where person_id = person.id),
    ${TOKENS_AND_CODES}) as record
  from taste.person where id = $1`;

/**
 * All stored data about a person, for a subject access request; null if the person does not exist.
 *
 * @param namings one per known secret of the service: derives the pseudonyms of the person
 */
export async function exportPerson(
  db: ClientBase | Pool,
  person: string,
  namings: readonly NameSubject[] = [],
): Promise<PersonRecord | null> {
  const { rows } = await db.query<{ record: PersonRecord }>({
    name: 'export-taste-person',
    text: RECORD,
    values: [person],
  });
  const record = rows[0]?.record ?? null;
  if (record === null || namings.length === 0) return record;
  return { ...record, subjects: subjectsOf(record, person, namings) };
}

function subjectsOf(
  { consents, tokens, codes }: PersonRecord,
  person: string,
  namings: readonly NameSubject[],
): Subject[] {
  const consumers = new Set([...consents, ...tokens, ...codes].map(({ consumer }) => consumer));
  return [...consumers]
    .sort()
    .flatMap((consumer) => namings.map((nameOf) => ({ consumer, sub: nameOf({ consumer, person }) })));
}
