import type { ClientBase, Pool } from 'pg';
import { int8Array, textArray } from '../../db/arrays.ts';
import { transaction } from '../../db/transaction.ts';
import { itemKey, type TasteItem } from '../../projections/models/taste/item.ts';
import type { MatchLookups } from '../../projections/models/taste/match-items.ts';
import { type Cursor, type DueImport, lockAccount } from './import-rows.ts';
import { matchAccounts } from './match-accounts.ts';

/** Items per account; the import ends at this many. */
const MAX_ITEMS = 50_000;

/** `gone`: the import was erased, or another process has saved this page. */
type SaveOutcome = 'gone' | 'more' | 'done';

interface Page {
  readonly due: DueImport;
  readonly items: readonly TasteItem[];
  /** Null after the last page. */
  readonly next: Cursor | null;
}

/**
 * Saves a page and the position of the next in one transaction. The last page also removes items that the import did not
 * see, and matches the account again.
 */
export async function savePage(
  pool: Pool,
  lookups: MatchLookups,
  { due, items, next }: Page,
): Promise<SaveOutcome> {
  return transaction(pool, async (client) => {
    if (!(await lockAccount(client, due.accountId)) || !(await moveCursor(client, due, next))) return 'gone';
    await writeItems(client, due, items);
    const count = await countItems(client, due);
    if (next !== null && count < MAX_ITEMS) return 'more';
    await finish(client, lookups, due);
    return 'done';
  });
}

/** Returns false if the cursor has moved since this page was requested. */
async function moveCursor(client: ClientBase, due: DueImport, next: Cursor | null): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'move-import',
    text: `update taste.import set cursor = $3, attempt = 0, failure = null, due_at = clock_timestamp()
           where id = $1 and state = 'running' and cursor is not distinct from $2::jsonb`,
    values: [due.id, jsonOf(due.cursor), jsonOf(next)],
  });
  return rowCount === 1;
}

const jsonOf = (cursor: Cursor | null): string | null => cursor && JSON.stringify(cursor);

async function writeItems(
  client: ClientBase,
  { id, accountId }: DueImport,
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

async function countItems(client: ClientBase, { id, accountId }: DueImport): Promise<number> {
  const { rows } = await client.query<{ items: number }>({
    name: 'count-taste-items',
    text: `update taste.import set items = (
             select count(*) from taste.item where account_id = $2 and import_id = $1)
           where id = $1 returning items`,
    values: [id, accountId],
  });
  return rows[0]?.items ?? 0;
}

async function finish(
  client: ClientBase,
  lookups: MatchLookups,
  { id, accountId }: DueImport,
): Promise<void> {
  await client.query({
    name: 'drop-unseen-taste-items',
    text: 'delete from taste.item where account_id = $1 and import_id <> $2',
    values: [accountId, id],
  });
  const { matchedItems } = await matchAccounts(client, lookups, [accountId]);
  await client.query({
    name: 'finish-import',
    text: `update taste.import set state = 'done', finished_at = clock_timestamp(), cursor = null, matched = $2
           where id = $1`,
    values: [id, matchedItems],
  });
}
