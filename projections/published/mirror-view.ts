import type { Pool } from 'pg';
import { textArray } from '../../db/arrays.ts';
import { transaction } from '../../db/transaction.ts';
import type { ReadRows, SourceRegistry } from '../projection.ts';
import { ownerOf } from '../read-dossiers.ts';
import { mirrorReader } from '../read-rows.ts';
import type { Source } from '../sources/contract.ts';
import { viewOf } from '../store/version.ts';

/** Subjects whose rows are in memory at a time. */
const BATCH = 2_000;

/** One pass whatever plan is chosen: a page at a time would go through the table anew where statistics are old. */
const openCursor = (sourceId: number): string => `
  declare published_subjects_${sourceId} no scroll cursor for
  select distinct subject from ingest.mirror where source = ${sourceId} and row is not null order by subject`;

/** The document that answers to each slug of an artist, by the same order of claims as for a request. */
const SLUG_OWNERS = `
  select asked.slug, artist.key
  from unnest($1::text[]) asked (slug)
    cross join lateral (${ownerOf('artist', 'asked.slug')}) owner
    join ${viewOf('artist')} artist on artist.id = owner.id`;

/** All that an index is computed from, as it stood at one instant. */
export interface MirrorView {
  readonly readRows: ReadRows;
  /** Every subject that the source has a row of, in the order of their bytes, some thousands at a time. */
  subjects(source: Source): AsyncIterable<readonly string[]>;
  /** The key of the artist dossier that each slug leads to; slugs that lead nowhere are left out. */
  slugOwners(slugs: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/**
 * Does `work` on the mirror as it stands now, whatever is ingested meanwhile.
 *
 * @param signal ends it between two batches, with its reason
 */
export async function viewMirror<T>(
  pool: Pool,
  registry: SourceRegistry,
  signal: AbortSignal,
  work: (mirror: MirrorView) => Promise<T>,
): Promise<T> {
  return transaction(pool, async (client) => {
    await client.query('set transaction isolation level repeatable read, read only');
    return work({
      readRows: mirrorReader(client, registry),
      async *subjects(source) {
        const id = registry.idOf(source);
        await client.query(openCursor(id));
        for (let isMore = true; isMore; ) {
          signal.throwIfAborted();
          const { rows } = await client.query<{ subject: string }>(
            `fetch ${BATCH} from published_subjects_${id}`,
          );
          if (rows.length > 0) yield rows.map(({ subject }) => subject);
          isMore = rows.length === BATCH;
        }
        await client.query(`close published_subjects_${id}`);
      },
      async slugOwners(slugs) {
        const { rows } = await client.query<{ slug: string; key: string }>(SLUG_OWNERS, [textArray(slugs)]);
        return new Map(rows.map(({ slug, key }) => [slug, key]));
      },
    });
  });
}
