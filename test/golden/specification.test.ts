import { type TSchema, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { beforeAll, expect, it } from 'vitest';
import { columnShape } from '../../projections/contracts/columns.ts';
import { sources } from '../../projections/contracts/index.ts';
import type { MirrorRows, SubjectRef } from '../../projections/engine/rows.ts';
import { artistProjection } from '../../projections/models/artist/project.ts';
import { labelProjection } from '../../projections/models/label/project.ts';
import { type ExpectedRow, mirrorOf } from '../support/projections/oracle.ts';
import { handMadeRows } from './hand-made.ts';
import { goldenDocuments } from './output.ts';
import { sampleRows } from './sample.ts';

// The types as the specification writes them, apart from the schemas of the service. Further members are allowed.
const string = Type.String();
const number = Type.Number();
const integer = Type.Integer();
const boolean = Type.Boolean();
const nullable = (schema: TSchema) => Type.Union([schema, Type.Null()]);
const count = Type.Object({ kind: Type.Literal('count'), value: number });
const state = Type.Union(['present', 'empty', 'honest_gap'].map((value) => Type.Literal(value)));
const resolvedVia = Type.Union([Type.Literal('catalog'), Type.Literal('cluster')]);

type Members = Readonly<Record<string, TSchema>>;
const all = (type: TSchema, ...names: string[]): Members =>
  Object.fromEntries(names.map((name) => [name, type]));
const list = (members: Members) => Type.Array(Type.Object(members));
const facet = (members: Members, member = 'signals') =>
  Type.Object({ state, [member]: nullable(Type.Object(members)) });
/** Members that a facet leaves out where their value is unknown, as no null is specified for them. */
const known = (members: Members): Members =>
  Object.fromEntries(Object.entries(members).map(([name, schema]) => [name, Type.Optional(schema)]));

const Artwork = Type.Object({
  url: string,
  source: Type.Union([Type.Literal('storefront'), Type.Literal('coverarchive')]),
  grain: Type.Union([Type.Literal('artist'), Type.Literal('release')]),
  license: string,
  rehost: Type.Literal(false),
  width: Type.Optional(integer),
  height: Type.Optional(integer),
});

const Provenance = list({
  ...all(string, 'field', 'producer', 'sourceTable', 'refreshCadence', 'tier'),
  honestGapState: state,
  refreshedAt: nullable(string),
});

const envelope = {
  contract_version: string,
  slug: string,
  display: string,
  id: nullable(number),
  cluster_id: nullable(Type.String({ pattern: '^[0-9a-f]{64}$' })),
  resolved_via: nullable(resolvedVia),
  provenance: Provenance,
};

const ArtistDossier = Type.Object({
  ...envelope,
  grain: Type.Literal('artist'),
  identity: nullable(
    Type.Object({
      catalogArtistId: nullable(number),
      clusterId: nullable(string),
      resolvedVia,
      name: string,
      ...all(nullable(string), 'realname', 'profile'),
      ...all(Type.Array(string), 'urls', 'aliases'),
    }),
  ),
  behavioral: facet({
    ...known(all(count, 'ownerReach', 'wantlistDemand')),
    ...all(
      nullable(number),
      'collectorCoownership',
      'communityFootprint',
      'workCount',
      'masterCountWithGenre',
    ),
    travelsWith: Type.Array(Type.Object({})),
    primaryGenre: nullable(string),
    primaryStyles: Type.Array(string),
  }),
  across_the_web: facet({
    count: number,
    links: list({
      ...all(string, 'source', 'url'),
      ...all(nullable(string), 'sourceSubtype', 'title', 'description'),
      confidence: nullable(number),
    }),
  }),
  journalism: facet({
    ...all(number, 'pressCount', 'reviewCount', 'interviewCount', 'featureCount'),
    items: Type.Array(Type.Object({})),
  }),
  citedMentions: Type.Array(
    Type.Object({ ...all(string, 'outlet', 'title', 'url', 'publishedAt'), sourceRepo: nullable(string) }),
    { maxItems: 10 },
  ),
  connections: facet({
    count: number,
    related: Type.Array(
      Type.Object({
        clusterId: nullable(string),
        catalogArtistId: nullable(integer),
        mbid: nullable(string),
        ...all(string, 'name', 'slug'),
        ...all(integer, 'coEventCount', 'coVenueCount'),
        lastCoAt: nullable(string),
      }),
      { maxItems: 24 },
    ),
  }),
  emergence: facet({
    ...all(string, 'emergenceTier', 'momentumTier'),
    ...all(number, 'emergenceScore', 'momentumScore', 'establishmentDelta', 'eventsRecent'),
    ...all(boolean, 'isFreshBreakout', 'isUnsigned'),
  }),
  breakout: facet({ ...all(string, 'emergenceTier', 'corroboration'), pressCount: number }, 'signal'),
  compositions: facet({
    works: list({
      ...all(string, 'workMbid', 'workName'),
      ...all(number, 'ownerReach', 'versionCollectors', 'versionDepth', 'nRecordingsGlobal'),
    }),
  }),
  tier_presence: facet({
    ...all(boolean, 'spansTiers', 'playsClubs', 'playsFestivals'),
    ...all(number, 'clubEvents', 'festivalEditions'),
    ...all(nullable(string), 'firstClubAt', 'lastClubAt', 'firstFestivalAt', 'lastFestivalAt'),
  }),
  early_demand: facet({
    ...all(count, 'ownerReach', 'wishlistDemand'),
    ...all(nullable(string), 'earliestSupportedAt', 'earliestWishedAt'),
    ...all(nullable(number), 'demandCoverage', 'wishedCoverage', 'alsoOwnDegree'),
  }),
  storefront_emergence: facet({
    emergenceClass: string,
    demandLead: number,
    ...all(nullable(number), 'demandRatio', 'ownerReach', 'wishlistDemand', 'distinctReleases'),
    earliestWishedAt: nullable(string),
  }),
  storefront_tastemaker: facet({
    ...all(number, 'supporterCohortSize', 'aesq'),
    ...all(nullable(number), 'aesqMedian', 'aesqRw', 'meanFirstBuyerEarliness'),
  }),
  artwork: facet({ items: Type.Array(Artwork) }),
  dated_appearance: facet({
    count: number,
    sources: list({
      sourceKind: string,
      ...all(nullable(string), 'firstAppearanceDate', 'latestAppearanceDate'),
      appearanceCount: number,
    }),
  }),
  network_position: facet({
    ...all(number, 'degree', 'weightedDegree', 'recentDegree'),
    ...all(nullable(number), 'resolvedNeighbourRatio', 'establishmentDelta'),
  }),
  airplay_breadth: facet({
    ...all(nullable(string), 'firstAirplayDate', 'latestAirplayDate'),
    ...all(number, 'airplayCount', 'distinctStations', 'distinctVenues', 'distinctDjs'),
  }),
  brokerage: facet({
    degree: number,
    ...all(nullable(number), 'effectiveSize', 'brokerageScore'),
    brokerageTier: string,
  }),
  lead_time: facet(known(all(number, 'pressToAirplayDays', 'undergroundToBookingDays'))),
  live_demand: facet({
    demandTier: string,
    ...all(nullable(number), 'demandMomentumScore', 'avgFillFraction', 'maxSoldOutLeadDays'),
    ...all(number, 'eventsTracked', 'eventsSoldOut', 'distinctProviders', 'distinctPromoters'),
  }),
  editorial_attention: facet({
    ...all(number, 'memberCount', 'sourceRepoCount'),
    ...all(nullable(string), 'firstObservedAt', 'latestObservedAt'),
  }),
  web_presence: facet({
    ...all(
      nullable(string),
      'storefrontUrl',
      'audioshareUrl',
      'photoshareUrl',
      'websiteUrl',
      'listingStatus',
      'country',
      'firstEventAt',
      'streamingUrl',
      'videoshareUrl',
    ),
    ...all(nullable(number), 'catalogArtistIdClaimed', 'followerCount'),
  }),
  discography: facet({ items: list({ catalogMasterId: number }) }),
});

const LabelDossier = Type.Object({
  ...envelope,
  grain: Type.Literal('label'),
  identity: nullable(
    Type.Object({
      catalogLabelId: nullable(number),
      name: string,
      ...all(nullable(string), 'parentLabel', 'profile'),
      urls: Type.Array(string),
    }),
  ),
  binds: Type.Object({
    catalog_label_id: nullable(number),
    ...all(nullable(string), 'label_mbid', 'storefront_url'),
  }),
  presence: Type.Object(all(boolean, 'has_catalog', 'has_storefront', 'has_seen_momentum', 'has_editorial')),
  over_merge: Type.Optional(
    Type.Object({ catalog_label_id_count: Type.Number({ exclusiveMinimum: 1 }), folded: boolean }),
  ),
  behavioral: Type.Object({ state }),
  travels: Type.Object({
    state,
    related: list({
      clusterId: string,
      labelName: nullable(string),
      ...all(number, 'npmi', 'support'),
      _links: Type.Object({ label: string }),
    }),
  }),
  dj_momentum: facet({
    ...all(number, 'playCount', 'distinctDjs', 'distinctArtists', 'distinctTracklists', 'playsLast365d'),
    ...all(nullable(string), 'firstPlayedAt', 'lastPlayedAt'),
    velocity: nullable(Type.Number({ minimum: 0, maximum: 1 })),
  }),
});

/** The hand-made row of every table, but with nothing in any column that may be null. */
const withoutValues = (rows: readonly ExpectedRow[]): ExpectedRow[] =>
  rows.map((expected) => {
    const { source, row } = expected;
    const ids = new Set([
      ...source.key,
      ...[source.subject, ...source.alsoAbout].map(({ column }) => column),
    ]);
    const entries = Object.entries(row).map(([name, value]) => {
      const column = source.columns[name];
      const isNullable = column !== undefined && columnShape(column).isNullable;
      return [name, isNullable && !ids.has(name) ? null : value];
    });
    return { ...expected, row: Object.fromEntries(entries) };
  });

const MINUTES = 60_000;
let corpora: { readonly subjects: readonly SubjectRef[]; readonly mirror: MirrorRows }[];

beforeAll(() => {
  const delivered = new Set(sources.map(({ table }) => table));
  const handMade = handMadeRows();
  corpora = [[...sampleRows(), ...handMade], withoutValues(handMade)].map((rows) =>
    mirrorOf({ rows, delivered }),
  );
}, 2 * MINUTES);

it.each([
  ['artist', artistProjection, ArtistDossier],
  ['label', labelProjection, LabelDossier],
] as const)(
  'every %s dossier has the types of the specification',
  async (_name, projection, schema) => {
    for (const corpus of corpora) {
      const documents = await goldenDocuments(projection, corpus);
      expect(documents.length).toBeGreaterThan(0);
      for (const { key, text } of documents) {
        const dossier: unknown = JSON.parse(text);
        if (!Value.Check(schema, dossier))
          expect([...Value.Errors(schema, dossier)].map(({ path, message }) => [key, path, message])).toEqual(
            [],
          );
      }
    }
  },
  2 * MINUTES,
);
