import { beforeAll, describe, expect, it } from 'vitest';
import { type Registry, registerSources } from '../../projections/engine/registry.ts';
import { findSnapshots, loadSnapshot } from '../../workers/ingest/snapshots/load-snapshot.ts';
import { replayChangeFile } from '../../workers/ingest/snapshots/replay-change-file.ts';
import { brokenLines } from '../support/ingest/change-data.ts';
import {
  CHANGES,
  expectedState,
  mirrorState,
  SAMPLE,
  SNAPSHOT_TIME,
} from '../support/ingest/mirror-state.ts';
import { withDatabase } from '../support/services/database.ts';

describe('the sample and its change events', () => {
  const { pool } = withDatabase();
  let registry: Registry;

  async function loadSample(): Promise<{ rows: number; deadLetters: number; skipped: number }> {
    const totals = { rows: 0, deadLetters: 0, skipped: 0 };
    for (const file of await findSnapshots(SAMPLE)) {
      const loaded = await loadSnapshot(pool, registry, file, { timeMs: SNAPSHOT_TIME });
      totals.rows += loaded.rows;
      totals.deadLetters += loaded.deadLetters;
      totals.skipped += loaded.skipped;
    }
    return totals;
  }

  const play = (name: string) =>
    replayChangeFile(`${CHANGES}${name}`, { pool, registry, prefix: 'producers' });

  beforeAll(async () => {
    registry = await registerSources(pool);
  });

  it('load every row once, and pass over what is loaded', async () => {
    expect(await loadSample()).toEqual({ rows: 164_848, deadLetters: 0, skipped: 0 });
    expect(await loadSample()).toEqual({ rows: 0, deadLetters: 0, skipped: 164_848 });
  });

  it('lead to exactly the rows that an independent replay expects', async () => {
    expect(await play('changes.ndjson.gz')).toEqual({ events: 21_502, deadLetters: 0 });
    expect(await mirrorState(pool)).toEqual(expectedState);
    const { rows } = await pool.query('select topic, violations from ingest.dead_letter');
    expect(rows).toEqual([]);
  });

  it('change nothing when they are played or loaded again', async () => {
    await pool.query('delete from ingest.position');
    await play('changes.ndjson.gz');
    await loadSample();
    expect(await mirrorState(pool)).toEqual(expectedState);
  });

  it('put each broken event into the dead letters with every field at fault, and apply none', async () => {
    await play('broken.ndjson.gz');
    const { rows } = await pool.query<{
      record_offset: string;
      violations: { field: string; reason: string }[];
    }>('select record_offset, violations from ingest.dead_letter order by record_offset');
    const expected = brokenLines().map((line) => JSON.parse(line).violations);
    expect(rows.map(({ violations }) => sorted(violations))).toEqual(expected.map(sorted));
    expect(await mirrorState(pool)).toEqual(expectedState);
  });
});

const sorted = (violations: readonly { field: string; reason: string }[]): string[] =>
  violations.map(({ field, reason }) => `${field}: ${reason}`).sort();
