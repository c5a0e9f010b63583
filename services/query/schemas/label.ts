import { type TSchema, Type } from '@sinclair/typebox';
import { fedBy } from '../../../projections/facet.ts';
import { facets } from '../../../projections/label/facets/index.ts';
import { ProvenanceEntrySchema } from '../../../projections/provenance.ts';
import { labelIdentityBridge } from '../../../projections/sources/seen/label-identity-bridge.ts';
import { orNull } from '../../../projections/values.ts';

/** What the fields of the facets are, by dotted path, with `[]` for the items of a list. */
const fieldDescriptions: Readonly<Record<string, string>> = {
  'identity.catalogLabelId': 'Catalogue label id; null for a label entered by cluster.',
  'identity.name': 'Display name.',
  'identity.parentLabel': 'Name of the label above it; null where there is none or entered by cluster.',
  'identity.profile': 'Text about the label; null where there is none or entered by cluster.',
  'identity.urls': "The label's own pages.",
  'identity.urls[]': 'Address of a page.',
  'binds.catalog_label_id': 'Catalogue label id; null where none is bound.',
  'binds.label_mbid': 'Id in the open metadata database, a UUID; null where none is bound.',
  'binds.storefront_url': 'Address on the storefront, a link that is never fetched; null where unknown.',
  'presence.has_catalog': 'Whether the catalogue has the label.',
  'presence.has_storefront': 'Whether the storefront has the label.',
  'presence.has_seen_momentum': 'Whether DJ sets were seen to play the label.',
  'presence.has_editorial': 'Whether editors wrote about the label.',
  'behavioral.signals.ownerReach': 'Collectors who own a release of the label; null where unknown.',
  'behavioral.signals.releaseCount': 'Releases on the label; null where unknown.',
  'behavioral.signals.artistCount': 'Artists on the label; null where unknown.',
  'behavioral.signals.firstYear': 'Year of the earliest release; null where unknown.',
  'behavioral.signals.latestYear': 'Year of the latest release; null where unknown.',
  'behavioral.signals.primaryGenre': 'Genre the label is mostly filed under; null where unknown.',
  'behavioral.signals.primaryStyles': 'Styles the label is mostly filed under.',
  'behavioral.signals.primaryStyles[]': 'Name of a style.',
  'travels.related': 'The labels that the same collectors own, the nearest first.',
  'travels.related[]': 'One label that the same collectors own.',
  'travels.related[].clusterId': 'Cluster id of the other label, 64 hex digits.',
  'travels.related[].labelName': 'Name of the other label; null where unknown.',
  'travels.related[]._links': 'Onward paths.',
  'travels.related[]._links.label': "Path of the other label's dossier.",
  'dj_momentum.signals.playCount': 'Plays of records of the label in DJ sets.',
  'dj_momentum.signals.distinctDjs': 'DJs who played records of the label.',
  'dj_momentum.signals.distinctArtists': 'Artists of the label whom DJ sets played.',
  'dj_momentum.signals.distinctTracklists': 'Tracklists with records of the label.',
  'dj_momentum.signals.firstPlayedAt': 'Day of the earliest play; null where none is dated.',
  'dj_momentum.signals.lastPlayedAt': 'Day of the latest play; null where none is dated.',
  'dj_momentum.signals.playsLast365d': 'Plays in DJ sets in the last 365 days.',
  'dj_momentum.signals.velocity':
    'Share of all plays that the last 365 days have, 0 to 1; null where there are none.',
};

/** The schema with the description of every field in it; what has none is the same value as before. */
function described(path: string, schema: TSchema): TSchema {
  if (!Object.keys(fieldDescriptions).some((known) => known.startsWith(path))) return schema;
  const description = fieldDescriptions[path];
  return { ...withMembers(path, schema), ...(description === undefined ? {} : { description }) };
}

function withMembers(path: string, schema: TSchema): TSchema {
  if (Array.isArray(schema.anyOf)) {
    return { ...schema, anyOf: schema.anyOf.map((one: TSchema) => withMembers(path, one)) };
  }
  if (schema.type === 'array') return { ...schema, items: described(`${path}[]`, schema.items) };
  if (schema.type !== 'object') return schema;
  const members = Object.entries<TSchema>(schema.properties);
  const properties = members.map(([name, member]) => [name, described(`${path}.${name}`, member)]);
  return { ...schema, properties: Object.fromEntries(properties) };
}

/** A label dossier as served. */
export const LabelDossierBody = Type.Object(
  {
    contract_version: Type.String({ description: 'Version of the dossier contract.' }),
    grain: Type.Literal('label', { description: 'What the dossier is about.' }),
    slug: Type.String({ description: "The label's own slug, in lower case; else the key that was asked." }),
    display: Type.String({ description: "The label's display name; the slug where no source names it." }),
    id: orNull(
      Type.Integer({
        description: 'Catalogue label id; null for a label entered by cluster, or unresolved.',
      }),
    ),
    cluster_id: fedBy(
      labelIdentityBridge,
      orNull(
        Type.String({
          description: 'Cluster id, 64 hex digits, to be passed on verbatim; null where no cluster is bound.',
        }),
      ),
    ),
    resolved_via: orNull(
      Type.Union([Type.Literal('catalog'), Type.Literal('cluster')], {
        description:
          'How the key resolved: catalog, verified, or cluster, observed and unverified; null if not at all.',
      }),
    ),
    ...Object.fromEntries(facets.map(({ name, schema }) => [name, described(name, schema)])),
    over_merge: Type.Optional(
      fedBy(
        labelIdentityBridge,
        Type.Object(
          {
            catalog_label_id_count: Type.Integer({
              minimum: 2,
              description: 'Catalogue labels that folded into the cluster.',
            }),
            folded: Type.Literal(true, { description: 'Always true: several labels are one cluster here.' }),
          },
          {
            description:
              'Only where several catalogue labels folded into the cluster: nothing here speaks for one of them alone.',
          },
        ),
      ),
    ),
    provenance: Type.Array(ProvenanceEntrySchema, {
      description: 'Where the facets come from: one entry a facet and source.',
    }),
    generated_at: Type.String({
      format: 'date-time',
      description: 'Instant at which the dossier was served, in UTC.',
    }),
  },
  { description: 'Everything known of one label, by facet, and where it comes from.' },
);
