import { FormatRegistry } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { facets as artistFacets } from '../../projections/artist/facets/index.ts';
import { artistProjection } from '../../projections/artist/project.ts';
import { facets as festivalFacets } from '../../projections/festival/facets/index.ts';
import { festivalProjection } from '../../projections/festival/project.ts';
import { facets as labelFacets } from '../../projections/label/facets/index.ts';
import { labelProjection } from '../../projections/label/project.ts';
import { registerSources } from '../../projections/registry.ts';
import { catalogArtist } from '../../projections/sources/catalog/artist.ts';
import { catalogLabelCoOwnership } from '../../projections/sources/catalog/label-co-ownership.ts';
import { columnShape, type Encoding } from '../../projections/sources/columns.ts';
import type { Source, SubjectKind } from '../../projections/sources/contract.ts';
import { mbArtistRightsRollup } from '../../projections/sources/mb/artist-rights-rollup.ts';
import { artistEmergenceLeadTime } from '../../projections/sources/seen/artist-emergence-lead-time.ts';
import { artistIdentityBridge } from '../../projections/sources/seen/artist-identity-bridge.ts';
import { labelIdentityBridge } from '../../projections/sources/seen/label-identity-bridge.ts';
import { closed } from '../../test/closed-schema.ts';
import { fillMirror } from '../../test/fill-mirror.ts';
import { keyHeader, queryApp } from '../../test/query-app.ts';
import { rowsOf, type SourceRows } from '../../test/rows/source-rows.ts';
import { withDatabase } from '../../test/services/database.ts';
import { rebuild } from '../../workers/project/build-version.ts';
import { ManifestBody, type ManifestField, type ManifestGrain } from './schemas/manifest.ts';

type Ids = Readonly<Partial<Record<SubjectKind, string | number>>>;

/** Whom every column is known of, and whom only what must be known is. */
const KNOWN = {
  artist: 'c1'.repeat(32),
  'catalog-artist': 11,
  label: '1a'.repeat(32),
  'catalog-label': 21,
  festival: 'known',
} satisfies Ids;
const BARE = {
  artist: 'c2'.repeat(32),
  'catalog-artist': 12,
  label: '2b'.repeat(32),
  'catalog-label': 22,
  festival: 'bare',
} satisfies Ids;
const OVER_MERGED = '3c'.repeat(32);
const HALVES = ['4d'.repeat(32), '5e'.repeat(32)] as const;
const NOBODY = 'ab'.repeat(32);

const asked: Readonly<Record<string, readonly string[]>> = {
  '/api/v2/artist/': ['known', KNOWN.artist, 'bare', BARE.artist, 'unbound', ...HALVES, NOBODY, 'nobody'],
  '/api/v2/label/': ['known', KNOWN.label, 'bare', BARE.label, OVER_MERGED, NOBODY, 'nobody'],
  '/api/v2/dossier/festival/': ['known', 'bare', 'nobody'],
};

/** Null only where a whole source has never delivered, or, as the share of no plays, where its facet is a gap. */
const notNullHere: Readonly<Record<string, readonly string[]>> = {
  label: ['dj_momentum.signals.velocity'],
  festival: ['lineup_signals.signals.emergingArtists'],
};

const { pool } = withDatabase();
let app: FastifyInstance;
let key: { 'x-api-key': string };

beforeAll(async () => {
  const registry = await registerSources(pool);
  const facets = [...artistFacets, ...labelFacets, ...festivalFacets];
  const sources = new Set([artistIdentityBridge, ...facets.flatMap((facet) => facet.sources)]);
  await fillMirror(pool, registry, [...sources].flatMap(rowsOfBoth));
  await fillMirror(pool, registry, [
    rowsOf(labelIdentityBridge, { cluster_id: OVER_MERGED, slug: 'merged', catalog_label_id_count: 2 }),
    rowsOf(catalogLabelCoOwnership, { cluster_id: OVER_MERGED, other_cluster_id: KNOWN.label, support: 5 }),
    // Whom no cluster is bound to, and who has one half of a pair each.
    rowsOf(catalogArtist, { catalog_artist_id: 13, slug: 'unbound' }),
    rowsOf(mbArtistRightsRollup, { catalog_artist_id: 13 }),
    rowsOf(
      artistEmergenceLeadTime,
      { cluster_id: HALVES[0], press_to_airplay_days: -3 },
      { cluster_id: HALVES[1], underground_to_booking_days: 3 },
    ),
  ]);
  for (const projection of [artistProjection, labelProjection, festivalProjection]) {
    await rebuild(pool, projection, registry);
  }
  app = await queryApp(pool, { now: () => Date.UTC(2026, 0, 1, 12, 0, 0, 700) });
  key = await keyHeader(pool);
});
afterAll(() => app.close());

const get = (url: string): Promise<LightMyRequestResponse> => app.inject({ url, headers: key });

function rowsOfBoth(source: Source): SourceRows[] {
  return [
    rowsOf(source, { ...everyColumn(source), ...idsIn(source, KNOWN), ...slugIn(source, 'known') }),
    rowsOf(source, { ...idsIn(source, BARE), ...slugIn(source, 'bare') }),
  ];
}

/** A value in every column; of a closed list the first. */
const everyColumn = ({ columns }: Source): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(columns).map(([name, column]) => {
      const { encoding, isList, values } = columnShape(column);
      const value = values?.[0] ?? ofName(name) ?? samples[encoding];
      return [name, isList ? [value] : value];
    }),
  );

/** What a column must hold beyond its type to be served. */
function ofName(name: string): unknown {
  if (name.endsWith('_id_count')) return 1;
  return name.endsWith('url') ? 'https://known.test/page' : undefined;
}

const samples: Readonly<Record<Encoding, unknown>> = {
  hex: 'dd'.repeat(32),
  text: 'known',
  int: 7,
  num: 7.5,
  bool: true,
  date: '2019-06-30',
  partial_date: '2019-06',
  ts: '2019-06-30T12:00:00Z',
  uuid: '00000000-0000-4000-8000-000000000007',
  json: {},
};

/** The columns that say whom a row is about. */
function idsIn({ subject, feeds, columns }: Source, ids: Ids): Record<string, unknown> {
  return Object.fromEntries(
    [subject, ...feeds].flatMap(({ kind, column }) => {
      const id = ids[kind];
      const schema = columns[column];
      if (id === undefined || schema === undefined) return [];
      return [[column, columnShape(schema).isList ? [id] : id]];
    }),
  );
}

const slugIn = ({ columns }: Source, slug: string) => ('slug' in columns ? { slug } : {});

/** The JSON types that each path has been seen with. */
type Seen = Map<string, Set<string>>;

function see(path: string, value: unknown, seen: Seen): void {
  seen.set(path, (seen.get(path) ?? new Set()).add(typeOf(value)));
  if (Array.isArray(value)) for (const item of value) see(`${path}[]`, item, seen);
  else if (typeof value === 'object' && value !== null) seeMembers(`${path}.`, value, seen);
}

function seeMembers(prefix: string, value: object, seen: Seen): void {
  for (const [name, member] of Object.entries(value)) see(prefix + name, member, seen);
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

async function seenIn(endpoint: string): Promise<Seen> {
  const path = endpoint.replace(/\{\w+\}$/, '');
  const seen: Seen = new Map();
  for (const name of asked[path] ?? []) {
    const answer = await get(path + name);
    expect(answer.statusCode, path + name).toBe(200);
    seeMembers('', answer.json(), seen);
  }
  return seen;
}

const allows = ({ type, nullable }: ManifestField, seen: string): boolean =>
  seen === 'null' ? nullable : seen === type || (seen === 'integer' && type === 'number');

async function grains(): Promise<ManifestGrain[]> {
  return (await get('/api/v2/dossier/manifest')).json().grains;
}

it('has an entry of the right type for every path of every answer', async () => {
  for (const { grain, endpoint, fields } of await grains()) {
    const byPath = new Map(fields.map((field) => [field.path, field]));
    for (const [path, types] of await seenIn(endpoint)) {
      const field = byPath.get(path);
      expect(field, `${grain} ${path}`).toBeDefined();
      for (const type of types) {
        expect(field !== undefined && allows(field, type), `${grain} ${path} is ${type}`).toBe(true);
      }
    }
  }
});

it('has no entry of what no answer holds', async () => {
  for (const { grain, endpoint, fields } of await grains()) {
    const seen = await seenIn(endpoint);
    const unseen = fields.filter(({ path }) => ![...(seen.get(path) ?? [])].some((type) => type !== 'null'));
    expect(
      unseen.map(({ path }) => path),
      grain,
    ).toEqual([]);
    const neverNull = fields.filter(({ path, nullable }) => nullable && !seen.get(path)?.has('null'));
    expect(
      neverNull.map(({ path }) => path),
      grain,
    ).toEqual(notNullHere[grain] ?? []);
  }
});

it('answers what its schema declares, and nothing else', async () => {
  FormatRegistry.Set('date-time', (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text));
  const answer = await get('/api/v2/dossier/manifest');
  expect(answer.statusCode).toBe(200);
  expect(answer.headers['cache-control']).toBe('private, max-age=300');
  const manifest = answer.json();
  expect([...Value.Errors(closed(ManifestBody), manifest)]).toEqual([]);
  expect(manifest).toMatchObject({
    contract_version: '2.0',
    generated_at: '2026-01-01T12:00:00Z',
    unavailable_grains: ['master', 'song'],
  });
});

it('needs a key', async () => {
  const refused = await app.inject({ url: '/api/v2/dossier/manifest' });
  expect(refused.statusCode).toBe(401);
  expect(refused.json().error).toBe('missing_api_key');
});

it('refuses parameters', async () => {
  const refused = await get('/api/v2/dossier/manifest?grain=artist');
  expect(refused.statusCode).toBe(400);
  expect(refused.json()).toMatchObject({ error: 'invalid_query', param: 'grain' });
});
