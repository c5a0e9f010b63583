import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { transaction } from '../../../db/transaction.ts';
import type { Source } from '../../../projections/contracts/contract.ts';
import { artistMomentum } from '../../../projections/contracts/seen/artist-momentum.ts';
import { performingEntity } from '../../../projections/contracts/seen/performing-entity.ts';
import { type Registry, registerSources } from '../../../projections/engine/registry.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import type { Truncate } from '../decode/envelope.ts';
import { noteChanges, type StageLags } from './source-freshness.ts';

const { pool } = withDatabase();
let registry: Registry;
let id: number;
const THEN = Date.UTC(2026, 0, 1);

beforeAll(async () => {
  registry = await registerSources(pool);
  id = registry.idOf(artistMomentum);
});
beforeEach(() =>
  pool.query(`update ingest.source set newest_change_at = null, connector = null, connector_lag_ms = null,
    kafka_lag_ms = null, apply_lag_ms = null, lag_since = null; delete from ingest.lag_peak`),
);

const change = (sourceTimeMs: number, source: Source = artistMomentum): Truncate => ({
  kind: 'truncate',
  source,
  version: '1',
  sourceTimeMs,
});

const note = (sourceTimeMs: number, lags?: StageLags): Promise<void> =>
  transaction(pool, (client) =>
    noteChanges(client, registry, { changes: [], truncates: [change(sourceTimeMs)], lags }),
  );

/** The measurements of a batch read just now. */
const measured = (connectorMs: number, kafkaMs: number): StageLags => ({
  readAtMs: Date.now(),
  bySource: new Map([[id, { connectorMs, kafkaMs, connector: 'producers' }]]),
});

async function stored() {
  const { rows } = await pool.query(
    `select newest_change_at as "changeAt", connector as "fedBy", connector_lag_ms::float8 as connector,
       kafka_lag_ms::float8 as kafka, apply_lag_ms::float8 as apply
     from ingest.source where id = $1`,
    [id],
  );
  return rows[0];
}

describe('the newest change of a source', () => {
  it('moves forward only, with lags and without', async () => {
    await note(THEN);
    expect(await stored()).toEqual({
      changeAt: new Date(THEN),
      fedBy: null,
      connector: null,
      kafka: null,
      apply: null,
    });
    await note(THEN - 1_000);
    expect((await stored()).changeAt).toEqual(new Date(THEN));
    await note(THEN - 1_000, measured(1, 1));
    expect((await stored()).changeAt).toEqual(new Date(THEN));
    await note(THEN + 5_000, measured(1, 1));
    expect((await stored()).changeAt).toEqual(new Date(THEN + 5_000));
  });

  it('is capped at the allowed clock difference in the future', async () => {
    const minuteMs = 60_000;
    for (const ahead of [30_000, 86_400_000]) {
      for (const lags of [undefined, measured(0, 0)]) {
        await pool.query('update ingest.source set newest_change_at = null');
        const before = Date.now();
        await note(before + ahead, lags);
        const after = Date.now();
        const at = (await stored()).changeAt.getTime();
        expect(at).toBeGreaterThanOrEqual(before + Math.min(ahead, minuteMs));
        expect(at).toBeLessThanOrEqual(Math.min(before + ahead, after + minuteMs));
      }
    }
  });
});

describe('the lags of a source', () => {
  it('are the greatest of a period of some seconds, then of the next period', async () => {
    await note(THEN, measured(500, 20));
    await note(THEN, measured(300, 90));
    expect(await stored()).toMatchObject({ connector: 500, kafka: 90 });
    await pool.query(`update ingest.source set lag_since = lag_since - interval '11 seconds'`);
    await note(THEN, measured(7, 8));
    expect(await stored()).toMatchObject({ connector: 7, kafka: 8 });
    await note(THEN, measured(6, 9));
    expect(await stored()).toMatchObject({ connector: 7, kafka: 9 });
  });

  it('count the time from reading to writing', async () => {
    await note(THEN, { ...measured(0, 0), readAtMs: Date.now() - 4_000 });
    const { apply } = await stored();
    expect(apply).toBeGreaterThanOrEqual(4_000);
    expect(apply).toBeLessThan(10_000);
  });

  it('do not change with a batch that was not measured', async () => {
    await note(THEN, measured(500, 20));
    await note(THEN + 1_000);
    expect(await stored()).toMatchObject({ connector: 500, kafka: 20, changeAt: new Date(THEN + 1_000) });
    await note(THEN + 2_000, { readAtMs: Date.now(), bySource: new Map() });
    expect(await stored()).toMatchObject({ connector: 500, kafka: 20, changeAt: new Date(THEN + 2_000) });
  });

  it('can express a backlog of any length', async () => {
    const years = 10 * 365 * 86_400_000;
    await note(THEN, measured(years, years));
    expect(await stored()).toMatchObject({ connector: years, kafka: years });
  });

  it('leave their peaks, by periods of five minutes', async () => {
    const peaks = async () => {
      const { rows } = await pool.query(
        `select connector_ms::int as connector, kafka_ms::int as kafka from ingest.lag_peak where source = $1 order by since`,
        [id],
      );
      return rows;
    };
    const greatest = async () => {
      const all = await peaks();
      return [Math.max(...all.map((one) => one.connector)), Math.max(...all.map((one) => one.kafka))];
    };
    await note(THEN);
    expect(await peaks()).toEqual([]);
    await note(THEN, measured(500, 20));
    await note(THEN, measured(300, 90));
    await note(THEN, measured(1, 1));
    expect(await greatest()).toEqual([500, 90]);
    // Places of an hour ago are used again.
    await pool.query(`update ingest.lag_peak set since = since - interval '65 minutes'`);
    await note(THEN, measured(7, 8));
    expect((await peaks()).at(-1)).toEqual({ connector: 7, kafka: 8 });
    const { rows } = await pool.query('select count(*)::int as slots from ingest.lag_peak');
    expect(rows[0].slots).toBeLessThanOrEqual(3);
  });

  it('of several sources are separate, in any order of writes', async () => {
    const other = registry.idOf(performingEntity);
    const lags = (ms: number): StageLags => ({
      readAtMs: Date.now(),
      bySource: new Map([
        [id, { connectorMs: ms, kafkaMs: 0, connector: 'one' }],
        [other, { connectorMs: ms + 1, kafkaMs: 0, connector: 'two' }],
      ]),
    });
    const both = [change(THEN, performingEntity), change(THEN)];
    await Promise.all(
      Array.from({ length: 20 }, (_, ms) =>
        transaction(pool, (client) =>
          noteChanges(client, registry, {
            changes: [],
            truncates: ms % 2 ? both : both.toReversed(),
            lags: lags(ms),
          }),
        ),
      ),
    );
    const { rows } = await pool.query(
      'select id, connector_lag_ms::float8 as ms from ingest.source where id in ($1, $2) order by ms',
      [id, other],
    );
    expect(rows).toEqual([
      { id, ms: 19 },
      { id: other, ms: 20 },
    ]);
  });
});
