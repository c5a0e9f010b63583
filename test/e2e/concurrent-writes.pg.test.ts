import { expect, it } from 'vitest';
import { artistPressMentions } from '../../projections/contracts/archive/artist-press-mentions.ts';
import { registerSources } from '../../projections/engine/registry.ts';
import { ingestBatch } from '../../workers/ingest/apply/ingest-batch.ts';
import type { ProducerChange } from '../support/history/history.ts';
import { deliveries, repeat } from '../support/ingest/delivery.ts';
import { rowsOf } from '../support/rows/source-rows.ts';
import { withDatabase } from '../support/services/database.ts';

const { pool } = withDatabase();
const KEYS = 4;
const VERSIONS = 15;
const CLUSTERS = ['1', '2'].map((digit) => digit.repeat(64));

it('keeps the newest version of each key under concurrent writes', async () => {
  const registry = await registerSources(pool);
  const rowChanges = Array.from({ length: KEYS * VERSIONS }, (_, number): ProducerChange => {
    const [row = {}] = rowsOf(artistPressMentions, {
      mention_id: `m${number % KEYS}`,
      cluster_id: CLUSTERS[number % 3 === 0 ? 0 : 1] ?? '',
      title: `version ${number}`,
    }).rows;
    return { source: artistPressMentions, kind: 'write', row, unavailable: [] };
  });
  const records = deliveries(rowChanges, repeat(1), registry).flatMap(({ batches }) =>
    batches.flatMap((batch) => batch.records),
  );
  // Each from a partition of its own, in an order that is not that of the versions.
  const shuffled = records.toSorted((a, b) => (a.record.offset % 7) - (b.record.offset % 7));
  await Promise.all(
    shuffled.map((record, partition) =>
      ingestBatch(pool, registry, {
        topicPartition: { group: 'g', topic: 't', partition },
        records: [record],
        from: null,
        to: 1,
      }),
    ),
  );

  const { rows } = await pool.query<{ key: string; subject: string; title: string }>(
    `select key, subject, row::jsonb ->> 'title' as title from ingest.mirror order by key`,
  );
  const newest = rowChanges.slice(-KEYS);
  expect(rows).toEqual(
    newest
      .map(({ row }) => ({
        key: String(row.mention_id),
        subject: row.cluster_id,
        title: row.title,
      }))
      .sort((a, b) => (a.key < b.key ? -1 : 1)),
  );
});
