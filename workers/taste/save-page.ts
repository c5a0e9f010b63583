import type { ClientBase, Pool } from 'pg';
import { int8Array, textArray } from '../../db/arrays.ts';
import { transaction } from '../../db/transaction.ts';
import type { OwnerLookup } from '../../projections/identity/read.ts';
import { itemKey, type TasteItem } from '../../projections/taste/item.ts';
import { type Cursor, type ImportTurn, lockAccount } from './import-rows.ts';
import { matchAccounts } from './match-accounts.ts';

/** Items of an account; an import that comes so far has what it came for. */
const MOST_ITEMS = 50_000;

/** `gone`: the import is no longer to be; somebody has erased it, or has saved this page before. */
type Saved = 'gone' | 'more' | 'done';

/**
 * Saves a page and where the next one begins, in one transaction. With the last page, what the import has not seen goes,
 * and the account is matched anew.
 *
 * @param next null after the last page
 */
export async function savePage(
  pool: Pool,
  owner: OwnerLookup,
  turn: ImportTurn,
  items: readonly TasteItem[],
  next: Cursor | null,
): Promise<Saved> {
  return transaction(pool, async (client) => {
    if (!(await lockAccount(client, turn.accountId)) || !(await moveCursor(client, turn, next)))
      return 'gone';
    await writeItems(client, turn, items);
    const count = await countItems(client, turn);
    if (next !== null && count < MOST_ITEMS) return 'more';
    await finish(client, owner, turn);
    return 'done';
  });
}

/** False where the import is not where this page was asked for. */
async function moveCursor(client: ClientBase, turn: ImportTurn, next: Cursor | null): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'move-import',
    text: `update taste.import set cursor = $3, attempt = 0, failure = null, due_at = clock_timestamp()
           where id = $1 and state = 'running' and cursor is not distinct from $2::jsonb`,
    values: [turn.id, jsonOf(turn.cursor), jsonOf(next)],
  });
  return rowCount === 1;
}

const jsonOf = (cursor: Cursor | null): string | null => cursor && JSON.stringify(cursor);

async function writeItems(
  client: ClientBase,
  { id, accountId }: ImportTurn,
  items: readonly TasteItem[],
): Promise<void> {
  const byKey = new Map(items.map((item) => [itemKey(item), item]));
  const distinct = [...byKey.values()];
  await client.query({
    name: 'write-taste-items',
    text: `insert into taste.item (account_id, import_id, key, name, mbid, catalog_artist_id)
           select $1::uuid, $2::uuid, * from unnest($3::text[], $4::text[], $5::text[], $6::int8[])
           on conflict (account_id, key) do update set import_id = excluded.import_id, name = excluded.name,
             mbid = excluded.mbid, catalog_artist_id = excluded.catalog_artist_id`,
    values: [
      accountId,
      id,
      textArray([...byKey.keys()]),
      textArray(distinct.map(({ name }) => name)),
      textArray(distinct.map(({ mbid }) => mbid)),
      int8Array(distinct.map(({ catalogArtistId }) => catalogArtistId)),
    ],
  });
}

async function countItems(client: ClientBase, { id, accountId }: ImportTurn): Promise<number> {
  const { rows } = await client.query<{ items: number }>({
    name: 'count-taste-items',
    text: `update taste.import set items = (
             select count(*) from taste.item where account_id = $2 and import_id = $1)
           where id = $1 returning items`,
    values: [id, accountId],
  });
  return rows[0]?.items ?? 0;
}

async function finish(client: ClientBase, owner: OwnerLookup, { id, accountId }: ImportTurn): Promise<void> {
  await client.query({
    name: 'drop-unseen-taste-items',
    text: 'delete from taste.item where account_id = $1 and import_id <> $2',
    values: [accountId, id],
  });
  const { matchedItems } = await matchAccounts(client, owner, [accountId]);
  await client.query({
    name: 'finish-import',
    text: `update taste.import set state = 'done', finished_at = clock_timestamp(), cursor = null, matched = $2
           where id = $1`,
    values: [id, matchedItems],
  });
}
