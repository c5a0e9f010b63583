import type { Pool } from 'pg';
import { expect } from 'vitest';
import type { Registry } from '../../projections/engine/registry.ts';
import { liveVersion } from '../../projections/engine/store/version.ts';
import { projections } from '../../projections/index.ts';
import { decodeRow } from '../../workers/ingest/decode/envelope.ts';
import { pollUntil } from '../support/poll.ts';
import { differingKeys, documentsOf } from '../support/projections/documents.ts';
import { recompute } from '../support/projections/oracle.ts';
import { type Load, letterOf } from './load.ts';

/** A fault may also end the session of a check: such an error is retried. */
const SETTLED = { timeoutMs: 60_000, retryOn: () => true };

/** Whether every event sent is applied. */
export async function isApplied(pool: Pool, group: string, load: Load): Promise<boolean> {
  const at = await positions(pool, group);
  return [...load.ends()].every(([place, end]) => at[place] === end);
}

/** Waits until every event sent is applied. */
export async function untilApplied(pool: Pool, group: string, load: Load): Promise<void> {
  await pollUntil(async () => expect(await positions(pool, group)).toEqual(Object.fromEntries(load.ends())), {
    what: 'every event sent is applied',
    ...SETTLED,
  });
}

/** Waits until every event sent is applied and projected. */
export async function untilSettled(pool: Pool, group: string, load: Load): Promise<void> {
  await untilApplied(pool, group, load);
  const noMarks = async () => {
    const { rows } = await pool.query(
      'select count(*)::int4 as marks from projection.mark where version in (select id from projection.version)',
    );
    expect(rows).toEqual([{ marks: 0 }]);
  };
  await pollUntil(noMarks, { what: 'every applied event is projected', ...SETTLED });
}

export async function positions(pool: Pool, group: string): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ place: string; next: number }>(
    `select topic || '/' || partition as place, next_offset::float8 as next
     from ingest.position where consumer_group = $1`,
    [group],
  );
  return Object.fromEntries(rows.map(({ place, next }) => [place, next]));
}

/** Compares the stored rows, the dead letters and every document, byte for byte, with the events sent. */
export async function expectAllRight(pool: Pool, registry: Registry, load: Load): Promise<void> {
  const expected = load.expected();
  expect(differingKeys(await storedRows(pool), rowsOf(expected))).toEqual([]);
  expect(await storedLetters(pool)).toEqual(load.letters());
  for (const projection of projections) {
    const live = await liveVersion(pool, projection.name);
    if (live === null) throw new Error(`no version of ${projection.name} is live`);
    const [stored, recomputed] = [
      await documentsOf(pool, live),
      await recompute(projection, expected, registry),
    ];
    expect({ [projection.name]: differingKeys(stored, recomputed) }).toEqual({ [projection.name]: [] });
  }
}

async function storedRows(pool: Pool): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ id: string; row: string }>(
    `select name || ' ' || key as id, row from ingest.mirror join ingest.source on source.id = source
     where row is not null`,
  );
  return new Map(rows.map(({ id, row }) => [id, row]));
}

function rowsOf({ rows }: ReturnType<Load['expected']>): Map<string, string> {
  return new Map(
    rows.map(({ source, row }) => {
      const decoded = decodeRow(source, row, { version: '', sourceTimeMs: 0 });
      if (decoded.kind !== 'upsert') throw new Error(`the load has an invalid row: ${JSON.stringify(row)}`);
      return [`${source.table} ${decoded.key}`, decoded.row];
    }),
  );
}

async function storedLetters(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query('select topic, violations from ingest.dead_letter');
  return rows.map(({ topic, violations }) => letterOf(topic, violations)).sort();
}
