import type { Pool } from 'pg';
import { performingEntity } from '../../../projections/contracts/seen/performing-entity.ts';
import type { Registry } from '../../../projections/engine/registry.ts';
import type { SubjectRef } from '../../../projections/engine/rows.ts';
import { ingestBatch } from '../../../workers/ingest/apply/ingest-batch.ts';
import { decodeRecord } from '../../../workers/ingest/decode/envelope.ts';
import { rowsOf } from '../rows/source-rows.ts';

/** The cluster id of the artist of a number. */
export const clusterOf = (number: number): string => number.toString(16).padStart(64, '0');
export const testArtistKey = (number: number): SubjectRef => `artist:${clusterOf(number)}`;
export const testArtistSlug = (number: number): string => `artist-${number}`;

/** The name of an artist after so many revisions; its slug stays the same. */
function entityOf(number: number, revision: number): Record<string, unknown> {
  const [row = {}] = rowsOf(performingEntity, {
    cluster_id: clusterOf(number),
    name: testArtistName(number, revision),
    slug: testArtistSlug(number),
  }).rows;
  return row;
}

export const testArtistName = (number: number, revision: number): string =>
  `Artist ${number} revision ${revision}`;

/** Writes the artists numbered from 0 into the mirror in one statement, without any revision. */
export async function fillArtists(pool: Pool, registry: Registry, count: number): Promise<void> {
  const id = registry.idOf(performingEntity);
  const template = JSON.stringify(entityOf(0, 0))
    .replace(clusterOf(0), '{cluster}')
    .replace(testArtistName(0, 0), testArtistName(0, 0).replace('0', '{number}'))
    .replace(testArtistSlug(0), '{slug}');
  await pool.query('update ingest.source set first_change_at = now() where id = $1', [id]);
  await pool.query(
    `insert into ingest.mirror (source, key, subject, order_key, row, version, source_time, changed_time)
     select $1, cluster, cluster, '',
       replace(replace(replace($2, '{cluster}', cluster), '{number}', number::text), '{slug}', 'artist-' || number),
       '0', '2019-06-30T12:00:00Z', '2019-06-30T12:00:00Z'
     from generate_series(0, $3 - 1) number cross join lateral (select lpad(to_hex(number), 64, '0') as cluster) id`,
    [id, template, count],
  );
}

/** A producer of artists, whose changes come in one after the other. */
export function artistProducer(pool: Pool, registry: Registry) {
  const place = { group: 'test', topic: `producers.${performingEntity.table}`, partition: 0 };
  let offset: number | null = null;
  let lsn = 1_000;
  return {
    /** Ingests a new revision of each artist given, in one batch. */
    async revise(numbers: readonly number[], revision: number): Promise<void> {
      const from: number | null = offset;
      const records = numbers.map((number, index) => {
        lsn += 1;
        const row = entityOf(number, revision);
        const source = {
          schema: 'seen',
          table: 'performing_entity',
          ts_ms: Date.UTC(2026, 0, 1),
          lsn,
          sequence: `["${lsn - 1}","${lsn}"]`,
        };
        const record = {
          topic: place.topic,
          key: JSON.stringify({ cluster_id: row.cluster_id }),
          value: JSON.stringify({ before: null, after: row, source, op: 'u', ts_ms: Date.UTC(2026, 0, 1) }),
          headers: {},
          offset: (from ?? 0) + index,
          timestamp: Date.UTC(2026, 0, 1),
        };
        return { record, decoded: decodeRecord(record, { prefix: 'producers', epoch: registry.epochOf }) };
      });
      const to = (from ?? 0) + records.length;
      await ingestBatch(pool, registry, { topicPartition: place, records, from, to });
      offset = to;
    },
  };
}
