import type { Pool } from 'pg';
import { textArray } from '../../../db/arrays.ts';
import { batchedLookup } from '../../../db/batched-lookup.ts';
import { ownerOf } from '../../engine/read-dossiers.ts';
import { documentIds } from '../../engine/store/document-id.ts';
import { viewOf } from '../../engine/store/version.ts';
import type { Teaser } from './teaser.ts';

const BODY = `convert_from(document.body, 'UTF8')::json as teaser`;

const BY_KEY = `
  select key as queried, ${BODY} from ${viewOf('preview')} document where id = any($1::uuid[])`;

const BY_SLUG = `
  select queried.slug as queried, ${BODY}
  from unnest($1::text[]) queried (slug)
    cross join lateral (${ownerOf('artist', 'queried.slug')}) owner
    join ${viewOf('preview')} document on document.id = owner.id`;

export type TeaserLookup = (keyOrSlug: string) => Promise<Teaser | null>;

/** Looks up teasers by the key of the artist dossier. Lookups of one tick share a statement. */
export const teaserByKey = (pool: Pool): TeaserLookup =>
  lookup(pool, { name: 'preview-by-key', text: BY_KEY, parameter: documentIds });

/** Looks up teasers by the slug of the dossier. */
export const teaserBySlug = (pool: Pool): TeaserLookup =>
  lookup(pool, { name: 'preview-by-slug', text: BY_SLUG, parameter: textArray });

interface TeaserStatement {
  readonly name: string;
  readonly text: string;
  readonly parameter: (queried: readonly string[]) => Buffer;
}

const lookup = (pool: Pool, { name, text, parameter }: TeaserStatement): TeaserLookup =>
  batchedLookup(async (queried) => {
    const { rows } = await pool.query<{ queried: string; teaser: Teaser }>({
      name,
      text,
      values: [parameter(queried)],
    });
    return new Map(rows.map((row) => [row.queried, row.teaser]));
  });
