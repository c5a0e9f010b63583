import type { ClientBase, Pool } from 'pg';
import { recordAudit } from '../../../db/audit.ts';
import { transaction } from '../../../db/transaction.ts';
import { columnShape } from '../../../projections/contracts/columns.ts';
import type { Source } from '../../../projections/contracts/contract.ts';
import { readSourceColumns } from '../../../projections/engine/freshness/source-columns.ts';
import type { SourceRegistry } from '../../../projections/engine/projection.ts';
import { decoderOf, linksOf } from '../decode/row-decoder.ts';
import type { MirrorState } from './fold.ts';
import { rewriteRows } from './known-rows.ts';
import type { KeyState } from './mirror.ts';

/** Rows in one transaction. */
const PAGE = 2_000;

export interface Clearing {
  readonly source: Source;
  readonly column: string;
  /** Clears a column that is still sent, or that was never observed in a log. */
  readonly isForced: boolean;
  readonly actor: string;
  readonly why: string;
}

/**
 * Sets a column to null in all stored rows of its source, or removes it from them if the contract does not have it, and
 * marks their documents dirty. A repetition continues where an interruption ended. The versions of the rows stay: a change
 * that is read again is no newer, and does not bring a value back.
 *
 * @returns how many rows had a value
 * @throws if the contract requires the column, or if it is still sent
 */
export async function clearColumn(pool: Pool, registry: SourceRegistry, clearing: Clearing): Promise<number> {
  const { source, column, actor, why } = clearing;
  await requireClearable(pool, registry, clearing);
  const audit = { actor, action: 'sources clear', target: source.table, reason: why };
  await recordAudit(pool, { ...audit, detail: { column, isForced: clearing.isForced } });
  let cleared = 0;
  for (let after: string | null = null; ; ) {
    const page: ClearedPage = await transaction(pool, (client) =>
      clearPage(client, registry, { source, column, after }),
    );
    cleared += page.cleared;
    if (page.last === null) break;
    after = page.last;
  }
  await transaction(pool, async (client) => {
    await client.query(
      `update ingest.source_column set cleared_at = now()
       where source = $1 and name = $2 and dropped_at is not null`,
      [registry.idOf(source), column],
    );
    await recordAudit(client, { ...audit, detail: { column, rows: cleared } });
  });
  return cleared;
}

async function requireClearable(
  pool: Pool,
  registry: SourceRegistry,
  { source, column, isForced }: Clearing,
): Promise<void> {
  const name = `the column ${column} of ${source.table}`;
  const schema = source.columns[column];
  if (schema !== undefined && !columnShape(schema).isNullable)
    throw new Error(`${name} cannot be null: its contract requires it`);
  if (isForced) return;
  const columns = await readSourceColumns(pool, registry.idOf(source));
  if (columns.length === 0)
    throw new Error(
      `no record from a log has shown the columns of ${source.table}; to clear it anyway: --force`,
    );
  if (columns.some((one) => one.name === column && one.droppedMs === null))
    throw new Error(`${name} is still sent, so its rows get values again; to clear it anyway: --force`);
}

interface ClearedPage {
  readonly cleared: number;
  /** The last key; null if no row is left. */
  readonly last: string | null;
}

interface StoredRow extends Omit<MirrorState, 'links' | 'row'> {
  readonly key: string;
  readonly row: string;
}

async function clearPage(
  client: ClientBase,
  registry: SourceRegistry,
  {
    source,
    column,
    after,
  }: { readonly source: Source; readonly column: string; readonly after: string | null },
): Promise<ClearedPage> {
  let last: string | null = null;
  const cleared = await rewriteRows(client, registry, async () => {
    const { rows } = await client.query<StoredRow>({
      name: 'page-of-rows',
      text: `select key, subject, order_key as "orderKey", row, version,
               (extract(epoch from source_time) * 1000)::float8 as "sourceTimeMs",
               (extract(epoch from changed_time) * 1000)::float8 as "changedTimeMs"
             from ingest.mirror
             where source = $1 and row is not null and key > coalesce($2, '')
             order by key limit ${PAGE} for no key update`,
      values: [registry.idOf(source), after],
    });
    last = rows.length < PAGE ? null : (rows.at(-1)?.key ?? null);
    return rows.flatMap((row) => withoutValue(source, column, row));
  });
  return { cleared, last };
}

/** The state of a row without the value; none if it has no value. */
function withoutValue(
  source: Source,
  column: string,
  { key, ...stored }: StoredRow,
): (KeyState & { readonly before: MirrorState })[] {
  const decoder = decoderOf(source);
  const { [column]: value, ...rest } = decoder.parse(stored.row) as Record<string, unknown>;
  if (value === null || value === undefined) return [];
  // Canonical values decode to themselves, and an absent column to null.
  const decoded = decoder.decodeRow(rest);
  if (decoded.violations !== null) {
    const fields = decoded.violations.map(({ field }) => field).join(', ');
    throw new Error(
      `the stored row ${key} of ${source.table} breaks its contract in ${fields}; write it again`,
    );
  }
  const { row, subject, orderKey, links } = decoded;
  const before: MirrorState = { ...stored, links: linksOf(source, stored.row) };
  return [
    { source, key, state: { ...before, row, subject, orderKey, links, changedTimeMs: Date.now() }, before },
  ];
}
