import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { liveDemand } from '../../projections/contracts/seen/live-demand.ts';
import { freshnessMetrics } from '../../projections/engine/freshness/freshness-metrics.ts';
import { type Registry, registerSources } from '../../projections/engine/registry.ts';
import { projections } from '../../projections/index.ts';
import { clearIngest } from '../../test/support/ingest/dead-letters.ts';
import { type Cells, sendRow, withoutColumns, withRenamed } from '../../test/support/ingest/send-row.ts';
import { rowsOf } from '../../test/support/rows/source-rows.ts';
import { runOps } from '../../test/support/run-ops.ts';
import { withDatabase } from '../../test/support/services/database.ts';

const { pool, url } = withDatabase();
const TABLE = liveDemand.table;
const COLUMN = 'max_sold_out_lead_days';
const FULL: Cells = { ...rowsOf(liveDemand, {}).rows[0], [COLUMN]: 3 };
const LATER: Cells = { ...FULL, cluster_id: 'cd'.repeat(32) };
let registry: Registry;

beforeAll(() => clearIngest(pool));
beforeEach(async () => {
  vi.stubEnv('DATABASE_URL', url);
  registry = await registerSources(pool);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await clearIngest(pool);
});

const send = (row: Cells, lsn: number) => sendRow(pool, registry, { source: liveDemand, row, lsn });
const lineOf = (printed: readonly string[], start: string) =>
  printed.find((line) => line.startsWith(start))?.split('\t');

it('shows a dropped column with what reads it, warns of it, and clears it', async () => {
  await send(FULL, 1);
  await send(withoutColumns(LATER, COLUMN), 2);
  const status = await runOps('status', '--source', TABLE);
  expect(lineOf(status.printed, `${TABLE}\t`)?.[1]).toBe('warn');
  expect(lineOf(status.printed, `${TABLE}\t${COLUMN}`)).toMatchObject({
    2: 'stale',
    7: 'artist.live_demand',
  });
  const { printed } = await runOps('sources', 'columns', TABLE);
  expect(printed[0]).toBe('column\tcontract\tstate\ttype\ttypeBefore\tsince\tmaybeRenamedTo\tproblem');
  expect(lineOf(printed, COLUMN)).toMatchObject({
    1: 'nullable',
    2: 'dropped',
    3: 'JSON number',
    7: 'stale',
  });
  expect(lineOf(printed, 'events_tracked')).toMatchObject({ 1: 'required', 2: 'sent', 7: '' });
  expect(lineOf(printed, 'facets')?.[1]).toBe('artist.live_demand');
  expect(await metric('stale')).toBe(1);

  const refused = await runOps('sources', 'clear', TABLE, 'events_tracked', '--why', 'x');
  expect([refused.code, refused.complaints.join()]).toEqual([
    2,
    expect.stringContaining('requires events_tracked'),
  ]);
  expect(await runOps('sources', 'clear', TABLE, COLUMN, '--why', 'gone')).toMatchObject({
    code: 0,
    printed: [`cleared ${COLUMN} in 1 rows of ${TABLE}`],
  });
  expect(lineOf((await runOps('status')).printed, `${TABLE}\t`)?.[1]).toBe('fresh');
  expect(lineOf((await runOps('sources', 'columns', TABLE)).printed, COLUMN)?.[2]).toBe('cleared');
  expect(await metric('stale')).toBe(0);
});

it('shows what the documents of stored rows would lose without a column', async () => {
  await send(FULL, 1);
  const { printed } = await runOps('sources', 'columns', TABLE, COLUMN);
  expect(printed).toEqual(['readModel\tdocuments\tchanged\tmembers', 'artist\t1\t1\tlive_demand']);
  expect((await runOps('sources', 'columns', TABLE, 'other')).printed).toEqual([
    `${TABLE} has no other in its contract: no read model reads it`,
  ]);
});

it('counts the stored values of each column, also of one that neither contract nor records have', async () => {
  await send({ ...FULL, former: 'x' }, 1);
  await pool.query('delete from ingest.source_column where name = $1', ['former']);
  const { printed } = await runOps('sources', 'columns', TABLE, '--stored');
  const counted = (column: string) => lineOf(printed, column)?.filter((_, at) => [1, 2, 8].includes(at));
  expect(counted(COLUMN)).toEqual(['nullable', 'sent', '1']);
  expect(counted('avg_fill_fraction')).toEqual(['nullable', 'sent', '0']);
  expect(counted('former')).toEqual(['no', 'not sent', '1']);
});

it('lists changes, and an acknowledged one no longer warns', async () => {
  await send(FULL, 1);
  await send({ ...withRenamed(LATER, COLUMN, 'lead_days'), note: 'x' }, 2);
  const { printed } = await runOps('sources', 'changes', TABLE);
  expect(printed.slice(1).map((line) => line.split('\t').slice(2))).toEqual([
    [TABLE, COLUMN, 'renamed', COLUMN, 'lead_days', 'artist.live_demand'],
    [TABLE, 'note', 'added', '', 'JSON string', 'artist.live_demand'],
  ]);
  expect(await runOps('sources', 'acknowledge', TABLE, '--why', 'no facet counts days')).toMatchObject({
    code: 0,
    printed: [`acknowledged ${COLUMN} of ${TABLE}`],
  });
  expect(lineOf((await runOps('status')).printed, `${TABLE}\t`)?.[1]).toBe('fresh');
  expect(await runOps('sources', 'acknowledge', TABLE, '--why', 'again')).toMatchObject({
    code: 1,
    complaints: [`no changed column of ${TABLE} warns`],
  });
  const { rows } = await pool.query('select action, target, reason, detail from operation.audit');
  expect(rows).toEqual([
    {
      action: 'sources acknowledge',
      target: TABLE,
      reason: 'no facet counts days',
      detail: { columns: [COLUMN] },
    },
  ]);
});

it('status fails while rows are rejected for a dropped column', async () => {
  await send(FULL, 1);
  await send(withoutColumns(LATER, 'events_tracked'), 2);
  const { code, complaints, printed } = await runOps('status', '--source', TABLE, '--json');
  expect([code, complaints]).toEqual([1, [`in error: ${TABLE}`]]);
  expect(JSON.parse(printed.join('')).columns).toMatchObject([
    { source: TABLE, column: 'events_tracked', problem: 'failing', readModels: ['artist'], isSurface: true },
  ]);
});

async function metric(problem: string): Promise<number | undefined> {
  const text = await freshnessMetrics(pool, projections).metrics();
  const line = `linernotes_source_columns_changed{source="${TABLE}",problem="${problem}"} `;
  const found = text.split('\n').find((one) => one.startsWith(line));
  return found === undefined ? undefined : Number(found.slice(line.length));
}
