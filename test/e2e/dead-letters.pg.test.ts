import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Registry, registerSources } from '../../projections/engine/registry.ts';
import { ingestBatch } from '../../workers/ingest/apply/ingest-batch.ts';
import { dryRunReplay } from '../../workers/ingest/dead-letters/dry-run.ts';
import { replayDeadLetters } from '../../workers/ingest/dead-letters/replay-dead-letters.ts';
import { type DecodedRecord, decodeRow } from '../../workers/ingest/decode/envelope.ts';
import { history, type ProducerChange } from '../support/history/history.ts';
import { clearIngest, rejectedOnce } from '../support/ingest/dead-letters.ts';
import { type Delivery, deliveries } from '../support/ingest/delivery.ts';
import { expectedRows } from '../support/projections/oracle.ts';
import { withDatabase } from '../support/services/database.ts';

const RUNS = Number(process.env.LETTER_RUNS ?? 40);
const REPLAY = { selector: {}, ratePerSecond: 1_000_000, actor: 'ada', why: 'mended', target: 'all' };
/** Parts of a rejected record that may be unreadable too. */
const UNREAD = [null, null, 'version', 'key', 'source'] as const;

/** Columns left out are taken from the row that is stored, which lacks what waits in a letter. */
const wholeRows = history.map((rowChanges) =>
  rowChanges.map((rowChange): ProducerChange => ({ ...rowChange, unavailable: [] })),
);

describe('a history of which an older release rejected some records', () => {
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
        return below(3) === 0 ? rejectedOnce(one.record, registry, UNREAD[below(UNREAD.length)]) : one;
      });
      await ingestBatch(pool, registry, { topicPartition: place, records: read, from: position, to });
      position = to;
      if (below(5) === 0) await replayDeadLetters(pool, registry, REPLAY);
    }
  }

  async function stored(): Promise<string[]> {
    const { rows } = await pool.query<{ text: string }>(
      `select name || ' ' || key || ' ' || row as text from ingest.mirror join ingest.source on source.id = mirror.source
       where row is not null`,
    );
    return rows.map(({ text }) => text).sort();
  }

  const expected = (rowChanges: readonly ProducerChange[]): string[] =>
    expectedRows(rowChanges)
      .rows.map(({ source, row }) => {
        const decoded = decodeRow(source, row, { version: '', sourceTimeMs: 0 });
        if (decoded.kind !== 'upsert') throw new Error('the history holds a broken row');
        return `${source.table} ${decoded.key} ${decoded.row}`;
      })
      .sort();

  it(
    'ends, after a replay, as if no record had been rejected, and as the dry run reported',
    async () => {
      await fc.assert(
        fc.asyncProperty(wholeRows, fc.infiniteStream(fc.nat(1_000_000)), async (rowChanges, chance) => {
          await clearIngest(pool);
          registry = await registerSources(pool);
          const below = (limit: number): number => (chance.next().value ?? 0) % limit;
          for (const delivery of deliveries(rowChanges, chance, registry)) await deliver(delivery, below);
          const lines = await dryRunReplay(pool, {});
          const count = (outcome: string): number =>
            lines.reduce((sum, line) => sum + (line.outcome === outcome ? line.deadLetters : 0), 0);
          const done = await replayDeadLetters(pool, registry, REPLAY);
          expect(done).toEqual({
            replayed: count('apply'),
            superseded: count('older'),
            open: 0,
            elsewhere: 0,
          });
          expect(await stored()).toEqual(expected(rowChanges));
        }),
        { numRuns: RUNS, interruptAfterTimeLimit: RUNS * 3_000, markInterruptAsFailure: true },
      );
    },
    RUNS * 3_000 + 60_000,
  );
});
