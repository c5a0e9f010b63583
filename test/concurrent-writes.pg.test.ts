import { expect, it } from 'vitest';
import { registerSources } from '../projections/registry.ts';
import { artistPressMentions } from '../projections/sources/archive/artist-press-mentions.ts';
import { ingestBatch } from '../workers/ingest/ingest-batch.ts';
import { deliveries } from './delivery.ts';
import type { Deed } from './history/history.ts';
import { rowsOf } from './rows/source-rows.ts';
import { withDatabase } from './services/database.ts';

const { pool } = withDatabase();
const KEYS = 4;
const VERSIONS = 15;
const CLUSTERS = ['1', '2'].map((digit) => digit.repeat(64));

it('leaves the newest version of each key, whoever writes them at once', async () => {
  const registry = await registerSources(pool);
  const deeds = Array.from({ length: KEYS * VERSIONS }, (_, number): Deed => {
    const [row = {}] = rowsOf(artistPressMentions, {
      mention_id: `m${number % KEYS}`,
      cluster_id: CLUSTERS[number % 3 === 0 ? 0 : 1] ?? '',
      title: `version ${number}`,
    }).rows;
    return { source: artistPressMentions, kind: 'write', row, unavailable: [] };
  });
  const once = (function* () {
    for (;;) yield 1;
  })();
  const records = deliveries(deeds, once, registry).flatMap(({ batches }) =>
    batches.flatMap((batch) => batch.records),
  );
  // Each from a partition of its own, in an order that is not that of the versions.
  const shuffled = records.toSorted((a, b) => (a.record.offset % 7) - (b.record.offset % 7));
  await Promise.all(
    shuffled.map((record, partition) =>
      ingestBatch(pool, registry, { group: 'g', topic: 't', partition }, [record], null, 1),
    ),
  );

  const { rows } = await pool.query<{ key: string; subject: string; title: string }>(
    `select key, subject, row::jsonb ->> 'title' as title from ingest.mirror order by key`,
  );
  const newest = deeds.slice(-KEYS);
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
