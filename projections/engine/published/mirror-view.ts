import type { Pool } from 'pg';
import { textArray } from '../../../db/arrays.ts';
import { transaction } from '../../../db/transaction.ts';
import type { Source } from '../../contracts/contract.ts';
import type { ReadRows, SourceRegistry } from '../projection.ts';
import { ownerOf } from '../read-dossiers.ts';
import { mirrorReader } from '../read-rows.ts';
import { viewOf } from '../store/version.ts';

/** Subjects per batch. */
const BATCH = 2_000;

/** A cursor makes one pass under any plan. Paging would scan the table for each page if statistics are old. */
const openCursor = (sourceId: number): string => `
  declare published_subjects_${sourceId} no scroll cursor for
  select distinct subject from ingest.mirror where source = ${sourceId} and row is not null order by subject`;

/** The document that owns each artist slug, as for a request. */
const SLUG_OWNERS = `
  select requested.slug, artist.key
  from unnest($1::text[]) requested (slug)
    cross join lateral (${ownerOf('artist', 'requested.slug')}) owner
    join ${viewOf('artist')} artist on artist.id = owner.id`;

/** The inputs of an index at one instant. */
export interface MirrorView {
  readonly readRows: ReadRows;
  /** Every subject with a row of the source, in byte order, in batches of 2,000. */
  subjects(source: Source): AsyncIterable<readonly string[]>;
  /** The key of the artist dossier of each slug; leaves out unknown slugs. */
  slugOwners(slugs: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

interface ViewOptions<T> {
  /** Ends the view between two batches, which then rejects with the reason. */
  readonly signal: AbortSignal;
  readonly work: (mirror: MirrorView) => Promise<T>;
}

/** Runs `work` on one snapshot of the mirror, unaffected by concurrent ingest. */
export async function viewMirror<T>(
  pool: Pool,
  registry: SourceRegistry,
  { signal, work }: ViewOptions<T>,
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
