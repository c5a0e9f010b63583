import { copyRows } from '../../../db/copy-binary.ts';
import { transaction } from '../../../db/transaction.ts';
import type { BenchDatabase } from '../database.ts';
import { generateArtist } from './generate.ts';
import { MIRROR_COLUMNS, type MirrorCopy, mirrorCopy } from './mirror-row.ts';
import type { SourceRow } from './rows.ts';

/** All rows of one artist, by seed and number. */
type Generate = (seed: number, index: number) => SourceRow[];

/** The artists numbered `from` (default: 0) up to but not including `to`. */
interface Artists {
  readonly seed: number;
  readonly from: number;
  readonly to: number;
  readonly generate: Generate;
}

/** Artists whose rows are copied in one transaction. */
const CHUNK = 500;
/** One chunk is generated while another is written. */
const CONCURRENT_CHUNKS = 2;

/**
 * Writes the rows of some artists into the mirror. Every source counts as just delivered.
 *
 * @returns the number of rows
 */
export async function fillBenchMirror(
  database: BenchDatabase,
  { seed, from = 0, to, generate = generateArtist }: Partial<Artists> & Pick<Artists, 'seed' | 'to'>,
): Promise<number> {
  let next = from;
  let rows = 0;
  const work = async (): Promise<void> => {
    while (next < to) {
      const start = next;
      next = Math.min(start + CHUNK, to);
      rows += await copyArtists(database, { seed, from: start, to: next, generate });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_CHUNKS }, work));
  await database.pool.query(
    'update ingest.source set first_change_at = coalesce(first_change_at, now()), newest_change_at = now()',
  );
  await database.pool.query('vacuum (analyze) ingest.mirror, ingest.link');
  return rows;
}

async function copyArtists(
  { pool, registry }: BenchDatabase,
  { seed, from, to, generate }: Artists,
): Promise<number> {
  const copies: MirrorCopy[] = [];
  for (let index = from; index < to; index++) {
    for (const row of generate(seed, index)) copies.push(mirrorCopy(row, registry));
  }
  // In the order of the primary key, so that neighbours share the pages of its index.
  copies.sort((a, b) => a.sourceId - b.sourceId || (a.key < b.key ? -1 : 1));
  await transaction(pool, async (client) => {
    await copyRows(
      client,
      `ingest.mirror ${MIRROR_COLUMNS}`,
      copies.map(({ mirror }) => mirror),
    );
    await copyRows(
      client,
      'ingest.link (source, subject, key)',
      copies.flatMap(({ links }) => links),
    );
  });
  return copies.length;
}
