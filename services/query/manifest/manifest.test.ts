import { describe, expect, it } from 'vitest';
import { sources } from '../../../projections/contracts/index.ts';
import { facets as artistFacets } from '../../../projections/models/artist/facets/index.ts';
import { facets as festivalFacets } from '../../../projections/models/festival/facets/index.ts';
import { facets as labelFacets } from '../../../projections/models/label/facets/index.ts';
import { ArtistDossierBody } from '../artist/route.ts';
import { FestivalDossierBody } from '../festival/route.ts';
import { LabelDossierBody } from '../label/route.ts';
import { manifestGrains, UNAVAILABLE_GRAINS } from './manifest.ts';
import type { ManifestField } from './schema.ts';

const grains = manifestGrains();
const fieldsOf = (grain: string): readonly ManifestField[] =>
  grains.find((known) => known.grain === grain)?.fields ?? [];
const fieldOf = (grain: string, path: string): ManifestField | undefined =>
  fieldsOf(grain).find((field) => field.path === path);

it('lists grains with and without a dossier', () => {
  expect(grains.map(({ grain, endpoint }) => [grain, endpoint])).toEqual([
    ['artist', '/api/v2/artist/{key}'],
    ['label', '/api/v2/label/{key}'],
    ['festival', '/api/v2/dossier/festival/{slug}'],
  ]);
  expect(UNAVAILABLE_GRAINS).toEqual(['master', 'song']);
});

describe.each(grains)('the fields of $grain', ({ grain, fields }) => {
  it('have a description of one sentence', () => {
    const undescribed = fields.filter(({ description }) => !/^\S.*\.$/.test(description));
    expect(undescribed.map(({ path }) => path)).toEqual([]);
  });

  it('have unique paths', () => {
    const paths = fields.map(({ path }) => path);
    expect(paths.filter((path, index) => paths.indexOf(path) !== index)).toEqual([]);
  });

  it('begin with every member of the dossier, in its order', () => {
    const body = { artist: ArtistDossierBody, label: LabelDossierBody, festival: FestivalDossierBody }[grain];
    const members = fields.map(({ path }) => path).filter((path) => !/[.[]/.test(path));
    expect(members).toEqual(Object.keys(body?.properties ?? {}));
  });

  it('name a declared source, or the service itself', () => {
    for (const { path, producer, sourceTable, refreshCadence, tier } of fields) {
      const source = sources.find(({ table }) => table === sourceTable);
      expect({ path, producer, sourceTable, refreshCadence, tier }).toEqual({
        path,
        producer: source?.owner ?? 'linernotes',
        sourceTable: source?.table ?? null,
        refreshCadence: source?.cadence ?? null,
        tier: source?.tier ?? null,
      });
    }
  });
});

it('names the service itself for fields without a source', () => {
  for (const { grain, fields } of grains) {
    const own = fields.filter(({ producer }) => producer === 'linernotes').map(({ path }) => path);
    const states = { artist: artistFacets, label: labelFacets, festival: festivalFacets }[grain]
      ?.map(({ name }) => `${name}.state`)
      .filter((path) => fieldOf(grain, path) !== undefined);
    expect(own).toEqual(
      expect.arrayContaining(['contract_version', 'grain', 'generated_at', ...(states ?? [])]),
    );
    const rest = own.filter((path) => !states?.includes(path) && !/(^|[.\]])_links(\.\w+)?$/.test(path));
    expect(rest.toSorted()).toEqual(
      [
        'contract_version',
        'grain',
        'generated_at',
        'provenance',
        'provenance[]',
        'provenance[].field',
        'provenance[].producer',
        'provenance[].sourceTable',
        'provenance[].refreshCadence',
        'provenance[].tier',
        'provenance[].honestGapState',
        'provenance[].refreshedAt',
        'provenance[].stale',
        ...(grain === 'festival' ? [] : ['resolved_via']),
        ...(grain === 'artist' ? ['identity.resolvedVia'] : []),
      ].toSorted(),
    );
  }
});

it.each([
  [
    'artist',
    artistFacets,
    {
      'identity.clusterId': 'seen.artist_identity_bridge',
      'behavioral.signals.travelsWith': 'catalog.artist_travels_with',
      'breakout.signal.corroboration': 'archive_api_v1.artist_press_mentions',
      'breakout.signal.pressCount': 'archive_api_v1.artist_press_mentions',
      'web_presence.signals.streamingUrl': 'mirror.cluster_authority_ids_v1',
      'web_presence.signals.videoshareUrl': 'mirror.cluster_authority_ids_v1',
      'rights_readiness.signals.ledger': 'ledger.rights_by_cluster',
      'rights_readiness.signals.audioshare': 'seen.artist_sc_rights_rollup_v1',
    },
  ],
  ['label', labelFacets, {}],
  [
    'festival',
    festivalFacets,
    {
      'editions.signals.items[].lineupCount': 'seen.festival_lineup',
      'editions.signals.items[].lineup': 'seen.festival_lineup',
      'lineup_signals.signals.emergingArtists': 'seen.artist_momentum',
    },
  ],
] as const)(
  'names the fields of %s whose source differs from that of their facet',
  (grain, facets, expected) => {
    const others = new Map<string, string>();
    for (const { path, sourceTable } of fieldsOf(grain)) {
      const facet = facets.find(({ name }) => path.startsWith(`${name}.`));
      if (facet === undefined || sourceTable === null || sourceTable === facet.sources[0]?.table) continue;
      // Members below one of them have its source.
      const above = [...others].find(
        ([known]) => path.startsWith(known) && /^[.[]/.test(path.slice(known.length)),
      );
      if (above === undefined) others.set(path, sourceTable);
      else expect(sourceTable, path).toBe(above[1]);
    }
    expect(Object.fromEntries(others)).toEqual(expected);
  },
);

it.each([
  ['artist', 'slug', 'catalog.artist'],
  ['artist', 'display', 'catalog.artist'],
  ['artist', 'id', 'catalog.artist'],
  ['artist', 'cluster_id', 'seen.artist_identity_bridge'],
  ['label', 'slug', 'catalog.label'],
  ['label', 'display', 'catalog.label'],
  ['label', 'id', 'catalog.label'],
  ['label', 'cluster_id', 'seen.label_identity_bridge'],
  ['label', 'over_merge.folded', 'seen.label_identity_bridge'],
  ['festival', 'slug', 'seen.festival'],
  ['festival', 'display', 'seen.festival'],
  ['festival', 'id', 'seen.festival'],
])('takes %s %s from %s', (grain, path, table) => {
  expect(fieldOf(grain, path)?.sourceTable).toBe(table);
});

it('describes a field completely', () => {
  expect(fieldOf('artist', 'connections.signals.related[].clusterId')).toEqual({
    path: 'connections.signals.related[].clusterId',
    type: 'string',
    nullable: true,
    producer: 'seen',
    sourceTable: 'seen.artist_co_event',
    refreshCadence: 'daily',
    tier: 'derived',
    description: 'Cluster id of the other artist, 64 hex digits; null where unknown.',
  });
  expect(fieldOf('artist', 'storefront_releases.signals.items[].priceType')).toMatchObject({
    type: 'number',
    nullable: true,
  });
  expect(fieldOf('artist', 'identity.resolvedVia')).toMatchObject({ type: 'string', nullable: false });
  expect(fieldOf('label', 'over_merge.folded')).toMatchObject({ type: 'boolean', nullable: false });
  expect(fieldOf('label', 'travels.related[]')).toMatchObject({ type: 'object', nullable: false });
});
