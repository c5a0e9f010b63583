import type { Pool } from 'pg';

const CANDIDATES = `
  select address.address as slug, artist.key, octet_length(artist.body) as bytes
  from read.artist_address address join read.artist using (key)
  where address.rank = 0
  order by bytes desc, slug limit 3`;

/**
 * Paths of three artists that the data knows well: one by slug, one by slug with chosen facets, one by its
 * cluster id. Where there are fewer artists, fewer paths.
 */
export async function exampleArtists(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ slug: string }>(CANDIDATES);
  const [first, second, third] = rows.map(({ slug }) => encodeURIComponent(slug));
  const paths: string[] = [];
  if (first !== undefined) paths.push(`/api/v2/artist/${first}`);
  if (second !== undefined) paths.push(`/api/v2/artist/${second}?fields=emergence,connections,provenance`);
  if (third !== undefined) paths.push(`/api/v2/resolve?q=${third}`);
  return paths;
}
