import type { ClientBase } from 'pg';
import { textArray } from '../../db/arrays.ts';
import { liveVersion } from '../../projections/engine/store/version.ts';
import type { TasteItem } from '../../projections/models/taste/item.ts';
import {
  MATCHED_BY,
  type Match,
  type MatchLookups,
  matchItem,
} from '../../projections/models/taste/match-items.ts';

/** One batch of items shares its lookup statements. */
const ITEMS_PER_BATCH = 2_000;

interface AccountItem extends TasteItem {
  readonly accountId: string;
}

interface AccountMatch extends Match {
  readonly accountId: string;
}

interface MatchCounts {
  /** Items with a cluster. */
  readonly matchedItems: number;
  /** Matches that were added, changed or removed. */
  readonly changed: number;
}

/**
 * Recomputes the matches of accounts from their items. The caller has locked the accounts, so neither items nor matches
 * change meanwhile. Without a live identity version nothing matches.
 */
export async function matchAccounts(
  client: ClientBase,
  lookups: MatchLookups,
  accounts: readonly string[],
): Promise<MatchCounts> {
  const hasIdentities = (await liveVersion(client, 'identity')) !== null;
  const items = hasIdentities ? await itemsOf(client, accounts) : [];
  const surest = new Map<string, AccountMatch>();
  let matchedItems = 0;
  for (let from = 0; from < items.length; from += ITEMS_PER_BATCH) {
    const found = await Promise.all(
      items.slice(from, from + ITEMS_PER_BATCH).map(async (item) => {
        const match = await matchItem(item, lookups);
        return match && { ...match, accountId: item.accountId };
      }),
    );
    for (const match of found) {
      if (match === null) continue;
      matchedItems++;
      const key = `${match.accountId} ${match.clusterId}`;
      const before = surest.get(key);
      if (before === undefined || isSurer(match, before)) surest.set(key, match);
    }
  }
  return { matchedItems, changed: await writeMatches(client, accounts, [...surest.values()]) };
}

const isSurer = (one: Match, other: Match): boolean =>
  MATCHED_BY.indexOf(one.via) < MATCHED_BY.indexOf(other.via);

async function itemsOf(client: ClientBase, accounts: readonly string[]): Promise<AccountItem[]> {
  const { rows } = await client.query<AccountItem>({
    name: 'taste-items',
    text: `select account_id as "accountId", name, mbid, catalog_artist_id::float8 as "catalogArtistId"
           from taste.item where account_id = any($1::text[]::uuid[])`,
    values: [textArray(accounts)],
  });
  return rows;
}

const WRITE = `
  with found as (
    select account_id::uuid, cluster_id, via
    from unnest($2::text[], $3::text[], $4::text[]) found (account_id, cluster_id, via)
  ), gone as (
    delete from taste.match known
    where account_id = any($1::text[]::uuid[]) and not exists (
      select from found where found.account_id = known.account_id and found.cluster_id = known.cluster_id)
    returning 1
  ), written as (
    insert into taste.match as known (account_id, cluster_id, via) select account_id, cluster_id, via from found
    on conflict (account_id, cluster_id) do update set via = excluded.via where known.via <> excluded.via
    returning 1
  )
  select ((select count(*) from gone) + (select count(*) from written))::int as changed`;

async function writeMatches(
  client: ClientBase,
  accounts: readonly string[],
  matches: readonly AccountMatch[],
): Promise<number> {
  const { rows } = await client.query<{ changed: number }>({
    name: 'write-taste-matches',
    text: WRITE,
    values: [
      textArray(accounts),
      textArray(matches.map(({ accountId }) => accountId)),
      textArray(matches.map(({ clusterId }) => clusterId)),
      textArray(matches.map(({ via }) => via)),
    ],
  });
  return rows[0]?.changed ?? 0;
}
