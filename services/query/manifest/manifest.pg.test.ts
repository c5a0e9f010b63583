import { Value } from '@sinclair/typebox/value';
import { expect, it } from 'vitest';
import { catalogArtist } from '../../../projections/contracts/catalog/artist.ts';
import { catalogLabelCoOwnership } from '../../../projections/contracts/catalog/label-co-ownership.ts';
import { catalogMaster } from '../../../projections/contracts/catalog/master.ts';
import { columnShape, type Encoding } from '../../../projections/contracts/columns.ts';
import type { Source, SubjectKind } from '../../../projections/contracts/contract.ts';
import { mbArtistRightsRollup } from '../../../projections/contracts/mb/artist-rights-rollup.ts';
import { artistEmergenceLeadTime } from '../../../projections/contracts/seen/artist-emergence-lead-time.ts';
import { artistIdentityBridge } from '../../../projections/contracts/seen/artist-identity-bridge.ts';
import { labelIdentityBridge } from '../../../projections/contracts/seen/label-identity-bridge.ts';
import { facets as artistFacets } from '../../../projections/models/artist/facets/index.ts';
import { artistProjection } from '../../../projections/models/artist/project.ts';
import { facets as festivalFacets } from '../../../projections/models/festival/facets/index.ts';
import { festivalProjection } from '../../../projections/models/festival/project.ts';
import { facets as labelFacets } from '../../../projections/models/label/facets/index.ts';
import { labelProjection } from '../../../projections/models/label/project.ts';
import { closed } from '../../../test/support/http/closed-schema.ts';
import { withQueryService } from '../../../test/support/query/service.ts';
import { rowsOf, type SourceRows } from '../../../test/support/rows/source-rows.ts';
import { ManifestBody, type ManifestField, type ManifestGrain } from './schema.ts';

type Ids = Readonly<Partial<Record<SubjectKind, string | number>>>;

/** Entities whose rows fill every column, and entities whose rows fill only the required ones. */
const FULL = {
  artist: 'c1'.repeat(32),
  'catalog-artist': 11,
  label: '1a'.repeat(32),
  'catalog-label': 21,
  festival: 'full',
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
const ABSENT = 'ab'.repeat(32);

const keys: Readonly<Record<string, readonly string[]>> = {
  '/api/v2/artist/': ['full', FULL.artist, 'bare', BARE.artist, 'unbound', ...HALVES, ABSENT, 'absent'],
  '/api/v2/label/': ['full', FULL.label, 'bare', BARE.label, OVER_MERGED, ABSENT, 'absent'],
  '/api/v2/dossier/festival/': ['full', 'bare', 'absent'],
};

/** Null only if a whole source never delivered rows, or if the facet is a gap. */
const neverNullHere: Readonly<Record<string, readonly string[]>> = {
  label: ['dj_momentum.signals.velocity'],
  festival: ['lineup_signals.signals.emergingArtists'],
};

function rowsOfBoth(source: Source): SourceRows[] {
  return [
    rowsOf(source, { ...everyColumn(source), ...idsIn(source, FULL), ...slugIn(source, 'full') }),
    rowsOf(source, { ...idsIn(source, BARE), ...slugIn(source, 'bare') }),
  ];
}

/** A value in every column: the first of its permitted values, else a sample. */
const everyColumn = ({ columns }: Source): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(columns).map(([name, column]) => {
      const { encoding, isList, values } = columnShape(column);
      const value = values?.[0] ?? valueByName(name) ?? samples[encoding];
      return [name, isList ? [value] : value];
    }),
  );

/** Values with conditions beyond the type of their column. */
function valueByName(name: string): unknown {
  if (name.endsWith('_id_count')) return 1;
  return name.endsWith('url') ? 'https://full.test/page' : undefined;
}

const samples: Readonly<Record<Encoding, unknown>> = {
  hex: 'dd'.repeat(32),
  text: 'full',
  int: 7,
  num: 7.5,
  bool: true,
  date: '2019-06-30',
  partial_date: '2019-06',
  ts: '2019-06-30T12:00:00Z',
  uuid: '00000000-0000-4000-8000-000000000007',
  json: {},
};

/** The columns that name the entities of a row. */
function idsIn({ subject, alsoAbout, columns }: Source, ids: Ids): Record<string, unknown> {
  return Object.fromEntries(
    [subject, ...alsoAbout].flatMap(({ kind, column }) => {
      const id = ids[kind];
      const schema = columns[column];
      if (id === undefined || schema === undefined) return [];
      return [[column, columnShape(schema).isList ? [id] : id]];
    }),
  );
}

const slugIn = ({ columns }: Source, slug: string) => ('slug' in columns ? { slug } : {});

/** JSON types by path. */
type SeenTypes = Map<string, Set<string>>;

function collectTypes(path: string, value: unknown, seen: SeenTypes): void {
  seen.set(path, (seen.get(path) ?? new Set()).add(typeOf(value)));
  if (Array.isArray(value)) for (const item of value) collectTypes(`${path}[]`, item, seen);
  else if (typeof value === 'object' && value !== null) collectMembers(`${path}.`, value, seen);
}

function collectMembers(prefix: string, value: object, seen: SeenTypes): void {
  for (const [name, member] of Object.entries(value)) collectTypes(prefix + name, member, seen);
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

async function typesSeenIn(endpoint: string): Promise<SeenTypes> {
  const path = endpoint.replace(/\{\w+\}$/, '');
  const seen: SeenTypes = new Map();
  for (const name of keys[path] ?? []) {
    const response = await get(path + name);
    expect(response.statusCode, path + name).toBe(200);
    collectMembers('', response.json(), seen);
  }
  return seen;
}

const allows = ({ type, nullable }: ManifestField, seen: string): boolean =>
  seen === 'null' ? nullable : seen === type || (seen === 'integer' && type === 'number');

async function grains(): Promise<ManifestGrain[]> {
  return (await get('/api/v2/dossier/manifest')).json().grains;
}

const facets = [...artistFacets, ...labelFacets, ...festivalFacets];
const sources = new Set([artistIdentityBridge, ...facets.flatMap((facet) => facet.sources)]);
const service = withQueryService({
  rows: [
    ...[...sources].flatMap(rowsOfBoth),
    rowsOf(labelIdentityBridge, { cluster_id: OVER_MERGED, slug: 'merged', catalog_label_id_count: 2 }),
    rowsOf(catalogLabelCoOwnership, { cluster_id: OVER_MERGED, other_cluster_id: FULL.label, support: 5 }),
    // An artist without a cluster, and two with one half of a pair each.
    rowsOf(catalogArtist, { catalog_artist_id: 13, slug: 'unbound' }),
    rowsOf(mbArtistRightsRollup, { catalog_artist_id: 13 }),
    rowsOf(catalogMaster, { master_id: 99, catalog_artist_ids: [13], artist_cluster_id: OVER_MERGED }),
    rowsOf(artistIdentityBridge, { cluster_id: OVER_MERGED, catalog_artist_id_count: 2 }),
    rowsOf(
      artistEmergenceLeadTime,
      { cluster_id: HALVES[0], press_to_airplay_days: -3 },
      { cluster_id: HALVES[1], underground_to_booking_days: 3 },
    ),
  ],
  projections: [artistProjection, labelProjection, festivalProjection],
  parts: { now: () => Date.UTC(2026, 0, 1, 12, 0, 0, 700) },
});

const { get } = service;

it('has an entry of the right type for every path of every dossier', async () => {
  for (const { grain, endpoint, fields } of await grains()) {
    const byPath = new Map(fields.map((field) => [field.path, field]));
    for (const [path, types] of await typesSeenIn(endpoint)) {
      // Suggestions for an unknown slug are no field of a dossier.
      if (path === 'candidates') continue;
      const field = byPath.get(path);
      expect(field, `${grain} ${path}`).toBeDefined();
      for (const type of types) {
        expect(field !== undefined && allows(field, type), `${grain} ${path} is ${type}`).toBe(true);
      }
    }
  }
});

it('has no entry that no dossier fills', async () => {
  for (const { grain, endpoint, fields } of await grains()) {
    const seen = await typesSeenIn(endpoint);
    const unseen = fields.filter(({ path }) => ![...(seen.get(path) ?? [])].some((type) => type !== 'null'));
    expect(
      unseen.map(({ path }) => path),
      grain,
    ).toEqual([]);
    const neverNull = fields.filter(({ path, nullable }) => nullable && !seen.get(path)?.has('null'));
    expect(
      neverNull.map(({ path }) => path),
      grain,
    ).toEqual(neverNullHere[grain] ?? []);
  }
});

it('responds with the declared members only', async () => {
  const response = await get('/api/v2/dossier/manifest');
  expect(response.statusCode).toBe(200);
  expect(response.headers['cache-control']).toBe('private, max-age=300');
  const manifest = response.json();
  expect([...Value.Errors(closed(ManifestBody), manifest)]).toEqual([]);
  expect(manifest).toMatchObject({
    contract_version: '2.0',
    generated_at: '2026-01-01T12:00:00Z',
    unavailable_grains: ['master', 'song'],
  });
});

it('requires a key', async () => {
  const rejected = await service.app().inject({ url: '/api/v2/dossier/manifest' });
  expect(rejected.statusCode).toBe(401);
  expect(rejected.json().error).toBe('missing_api_key');
});
