import { beforeAll, expect, it } from 'vitest';
import { catalogArtist } from '../../../projections/contracts/catalog/artist.ts';
import { sources } from '../../../projections/contracts/index.ts';
import { artistIdentityBridge } from '../../../projections/contracts/seen/artist-identity-bridge.ts';
import { publishIndex } from '../../../projections/engine/published/publish-index.ts';
import { projections } from '../../../projections/index.ts';
import { auraIndex } from '../../../projections/models/aura/compute.ts';
import { breakoutsIndex } from '../../../projections/models/breakouts/compute.ts';
import { tastemakersIndex } from '../../../projections/models/tastemakers/compute.ts';
import { loadSample, rowsIn } from '../../../test/support/ingest/load-sample.ts';
import { withQueryService } from '../../../test/support/query/service.ts';

const MINUTES = 60_000;

const service = withQueryService({
  fill: (db, registry) => loadSample(db, registry, sources),
  projections,
  tier: 'unlimited',
});
const { pool, get } = service;

interface Body {
  readonly identity?: unknown;
  readonly present?: boolean;
  readonly resolved_via?: string;
  readonly id?: unknown;
  readonly items?: readonly Item[];
  readonly _links?: Links;
}
type Links = Readonly<Record<string, string>>;
/** Of an index of artists. */
interface Item {
  readonly slug: string | null;
  readonly catalogArtistId?: number | null;
  readonly catalog_artist_id?: number;
}

/** The documents by path, and every `_links` in each of them. */
const bodies = new Map<string, Body>();
const links = new Map<string, Links[]>();

beforeAll(async () => {
  const { signal } = new AbortController();
  for (const index of [auraIndex, breakoutsIndex, tastemakersIndex])
    await publishIndex(pool, service.registry(), index, { day: '2019-06-30', signal });
  for (const path of await documentPaths()) {
    const body = (await get(path)).json();
    bodies.set(path, body);
    links.set(path, linksOf(body));
  }
}, 5 * MINUTES);

const INDEXES = [
  ...['/aura', '/breakouts', '/tastemakers', '/tastemakers/ones-to-watch'],
  ...[0, 100, 200, 300, 400].map((offset) => `/artists?sort=reach&limit=100&offset=${offset}`),
];

/** Every dossier of artists, labels and festivals, and the indexes of artists. */
async function documentPaths(): Promise<string[]> {
  const { rows } = await pool.query<{ route: string; key: string }>(`
    select 'artist' as route, substr(key, 8) as key from read.artist where key like 'artist:%'
    union select 'artist', address from read.artist_address where rank = 0
    union select 'label', substr(key, 7) from read.label where key like 'label:%'
    union select 'dossier/festival', address from read.festival_address where rank = 1`);
  return [
    ...rows.map(({ route, key }) => `/api/v2/${route}/${encodeURIComponent(key)}`),
    ...INDEXES.map((path) => `/api/v2${path}`),
  ];
}

/** Every `_links` of a body, at any depth. */
function linksOf(body: unknown): Links[] {
  if (body === null || typeof body !== 'object') return [];
  const own = '_links' in body ? [body._links as Links] : [];
  return [...own, ...Object.values(body).flatMap(linksOf)];
}

/** The path of each cluster that the catalogue knows for certain, and the path of the catalogue's dossier. */
async function knownArtists(): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ cluster: string; slug: string }>(`
    with ${rowsIn('bridge', artistIdentityBridge)}, ${rowsIn('catalogue', catalogArtist)}
    select bridge.subject as cluster, lower(catalogue.row->>'slug') as slug
    from bridge join catalogue on catalogue.subject = bridge.row->>'catalog_artist_id'
    where bridge.row->>'is_exact' = 'true' and bridge.row->>'catalog_artist_id_count' = '1'`);
  const pathOf = (key: string) => `/api/v2/artist/${encodeURIComponent(key)}`;
  return new Map(rows.map(({ cluster, slug }) => [pathOf(cluster), pathOf(slug)]));
}

it('a cluster that the catalogue knows for certain links to the dossier of the catalogue, and no other', async () => {
  const known = await knownArtists();
  expect(known.size).toBeGreaterThan(1_000);
  for (const [path, { resolved_via, _links }] of bodies)
    if (resolved_via === 'cluster') expect(_links?.catalog, path).toBe(known.get(path));
  for (const path of known.values()) expect(bodies.get(path)?.resolved_via, path).toBe('catalog');
});

it('a link to an artist leads to the dossier of the catalogue if it has one', async () => {
  const known = await knownArtists();
  const artists = [...links].flatMap(([path, all]) =>
    all.flatMap(({ artist }) => (artist === undefined ? [] : [{ path, artist }])),
  );
  expect(artists.length).toBeGreaterThan(1_000);
  expect(artists.filter(({ artist }) => known.has(artist))).toEqual([]);
  const toCatalog = artists.filter(({ artist }) => bodies.get(artist)?.resolved_via === 'catalog');
  expect(new Set(toCatalog.map(({ path }) => path.split('/')[3]))).toEqual(new Set(['dossier', 'breakouts']));
});

it('every link opens', async () => {
  // Those of release groups are followed by a test of their own.
  const targets = [...links.values()].flatMap((all) =>
    all.flatMap(({ master: _, ...one }) => Object.values(one)),
  );
  const distinct = new Set(targets);
  expect(distinct.size).toBeGreaterThan(4_000);
  for (const path of distinct) {
    const body: Body = bodies.get(path) ?? (await get(path)).json();
    const { identity, present } = body;
    if ('grain' in body && present === undefined) expect(identity, path).not.toBeNull();
    else expect(present ?? 'items' in body, path).toBe(true);
  }
});

it('a slug in a list leads to the artist of the same row', async () => {
  const items = INDEXES.flatMap((path) => bodies.get(`/api/v2${path}`)?.items ?? []);
  const catalogued = items.flatMap(({ slug, catalogArtistId, catalog_artist_id: id = catalogArtistId }) =>
    typeof slug === 'string' && typeof id === 'number' ? [{ slug, id }] : [],
  );
  expect(catalogued.length).toBeGreaterThan(500);
  for (const { slug, id } of catalogued)
    expect(bodies.get(`/api/v2/artist/${encodeURIComponent(slug)}`)?.id, slug).toBe(id);
});
