import type { Pool } from 'pg';

const RICHEST = `
  select slug.address as slug, substr(name.address, length('name:') + 1) as name
  from read.artist
    join read.artist_address slug on slug.document = artist.id
    join read.identity_address name on name.document = artist.id
  where slug.rank = 0 and name.rank = 0 and name.address like 'name:%'
  order by octet_length(artist.body) desc, key
  limit 3`;

/**
 * Paths to three artists of whom the data says most: a whole dossier, chosen facets, and a name to resolve. Where
 * there are fewer artists, fewer paths.
 */
export async function exampleArtists(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ slug: string; name: string }>(RICHEST);
  const [whole, chosen, named] = rows;
  const paths: string[] = [];
  if (whole) paths.push(`/api/v2/artist/${encodeURIComponent(whole.slug)}`);
  if (chosen)
    paths.push(`/api/v2/artist/${encodeURIComponent(chosen.slug)}?fields=emergence,connections,provenance`);
  if (named) paths.push(`/api/v2/resolve?q=${encodeURIComponent(named.name)}`);
  return paths;
}
