import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Registry, registerSources } from '../projections/registry.ts';
import { previewReplay } from '../workers/ingest/dead-letters/preview-replay.ts';
import { replayLetters } from '../workers/ingest/dead-letters/replay-letters.ts';
import { type DecodedRecord, decodeRow } from '../workers/ingest/decode/envelope.ts';
import { ingestBatch } from '../workers/ingest/ingest-batch.ts';
import { type Delivery, deliveries } from './delivery.ts';
import { type Deed, history } from './history/history.ts';
import { forgetAll, refusedOnce } from './letters.ts';
import { expectedRows } from './oracle.ts';
import { withDatabase } from './services/database.ts';

const RUNS = Number(process.env.LETTER_RUNS ?? 40);
const REPLAY = { selector: {}, ratePerSecond: 1_000_000, actor: 'ada', why: 'mended', target: 'all' };
/** Parts of a refused record that may not be read either. */
const UNREAD = [null, null, 'version', 'key', 'source'] as const;

/** Columns left out are taken from the row that is stored, which lacks what waits in a letter. */
const wholeRows = history.map((deeds) => deeds.map((deed): Deed => ({ ...deed, unavailable: [] })));

describe('a history of which some records were refused by older code', () => {
  const { pool } = withDatabase();
  let registry: Registry;

  beforeAll(async () => {
    registry = await registerSources(pool);
  });

  /** Delivers a topic; sometimes what waits is sent again between two batches. */
  async function deliver({ topic, batches }: Delivery, below: (limit: number) => number): Promise<void> {
    const place = { group: 'test', topic, partition: 0 };
    let position: number | null = null;
    for (const { records } of batches) {
      const to = (records.at(-1)?.record.offset ?? 0) + 1;
      const read = records.map((one): DecodedRecord => {
        return below(3) === 0 ? refusedOnce(one.record, registry, UNREAD[below(UNREAD.length)]) : one;
      });
      await ingestBatch(pool, registry, place, read, position, to);
      position = to;
      if (below(5) === 0) await replayLetters(pool, registry, REPLAY);
    }
  }

  async function stored(): Promise<string[]> {
    const { rows } = await pool.query<{ text: string }>(
      `select name || ' ' || key || ' ' || row as text from ingest.mirror join ingest.source on source.id = mirror.source
       where row is not null`,
    );
    return rows.map(({ text }) => text).sort();
  }

  const expected = (deeds: readonly Deed[]): string[] =>
    expectedRows(deeds)
      .rows.map(({ source, row }) => {
        const decoded = decodeRow(source, row, { version: '', sourceTimeMs: 0 });
        if (decoded.kind !== 'upsert') throw new Error('the history holds a broken row');
        return `${source.table} ${decoded.key} ${decoded.row}`;
      })
      .sort();

  it(
    'ends, once what waits is sent again, as if nothing had been refused; and as the preview said',
    async () => {
      await fc.assert(
        fc.asyncProperty(wholeRows, fc.infiniteStream(fc.nat(1_000_000)), async (deeds, chance) => {
          await forgetAll(pool);
          registry = await registerSources(pool);
          const below = (limit: number): number => (chance.next().value ?? 0) % limit;
          for (const delivery of deliveries(deeds, chance, registry)) await deliver(delivery, below);
          const lines = await previewReplay(pool, {});
          const count = (outcome: string): number =>
            lines.reduce((sum, line) => sum + (line.outcome === outcome ? line.letters : 0), 0);
          const done = await replayLetters(pool, registry, REPLAY);
          expect(done).toEqual({
            replayed: count('apply'),
            superseded: count('older'),
            open: 0,
            elsewhere: 0,
          });
          expect(await stored()).toEqual(expected(deeds));
        }),
        { numRuns: RUNS, interruptAfterTimeLimit: RUNS * 3_000, markInterruptAsFailure: true },
      );
    },
    RUNS * 3_000 + 60_000,
  );
});
