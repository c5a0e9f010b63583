import type { Pool } from 'pg';
import { textArray } from '../../db/arrays.ts';
import { batchedLookup } from '../../db/batched-lookup.ts';
import { ownerOf } from '../read-dossiers.ts';
import { documentIds } from '../store/document-id.ts';
import { viewOf } from '../store/version.ts';
import type { Teaser } from './teaser.ts';

const BODY = `convert_from(document.body, 'UTF8')::json as teaser`;

const BY_KEY = `
  select key as asked, ${BODY} from ${viewOf('preview')} document where id = any($1::uuid[])`;

const BY_SLUG = `
  select asked.slug as asked, ${BODY}
  from unnest($1::text[]) asked (slug)
    cross join lateral (${ownerOf('artist', 'asked.slug')}) owner
    join ${viewOf('preview')} document on document.id = owner.id`;

export type TeaserLookup = (asked: string) => Promise<Teaser | null>;

/** Looks teasers up by the key of the artist dossier; what is asked together shares a statement. */
export const teaserByKey = (pool: Pool): TeaserLookup => lookup(pool, 'preview-by-key', BY_KEY, documentIds);

/** Looks them up by the slug that leads to the dossier. */
export const teaserBySlug = (pool: Pool): TeaserLookup => lookup(pool, 'preview-by-slug', BY_SLUG, textArray);

const lookup = (
  pool: Pool,
  name: string,
  text: string,
  parameter: (asked: readonly string[]) => Buffer,
): TeaserLookup =>
  batchedLookup(async (asked) => {
    const { rows } = await pool.query<{ asked: string; teaser: Teaser }>({
      name,
      text,
      values: [parameter(asked)],
    });
    return new Map(rows.map((row) => [row.asked, row.teaser]));
  });
