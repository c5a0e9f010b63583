import { type Static, Type } from '@sinclair/typebox';
import { orNull } from '../../../projections/engine/values.ts';

const ManifestFieldSchema = Type.Object(
  {
    path: Type.String({
      description: 'Member names from the dossier down, joined by dots; [] stands for the items of a list.',
    }),
    type: Type.Union(
      ['string', 'number', 'integer', 'boolean', 'object', 'array'].map((type) => Type.Literal(type)),
      { description: 'JSON type of the field where it is not null.' },
    ),
    nullable: Type.Boolean({ description: 'Whether the field may be null.' }),
    producer: Type.String({
      description: 'Owner of the source; linernotes for values that the service itself computes.',
    }),
    sourceTable: orNull(
      Type.String({
        description: 'First producer table of the field; null for values that the service computes.',
      }),
    ),
    refreshCadence: orNull(
      Type.String({
        description: 'How often the producer refreshes it; null for values that the service computes.',
      }),
    ),
    tier: orNull(
      Type.String({
        description: 'Trust tier of the source; null for values that the service computes.',
      }),
    ),
    description: Type.String({ description: 'Meaning of the field, in one sentence.' }),
  },
  { description: 'One field of a dossier.' },
);
export type ManifestField = Static<typeof ManifestFieldSchema>;

const ManifestGrainSchema = Type.Object(
  {
    grain: Type.String({ description: 'Kind of entity.' }),
    endpoint: Type.String({ description: 'Path of the dossiers.' }),
    fields: Type.Array(ManifestFieldSchema, { description: 'Every field, in the order of the dossier.' }),
  },
  { description: 'One kind of dossier.' },
);
export type ManifestGrain = Static<typeof ManifestGrainSchema>;

/** The data dictionary as served. */
export const ManifestBody = Type.Object(
  {
    contract_version: Type.String({ description: 'Version of the dossier contract.' }),
    generated_at: Type.String({ format: 'date-time', description: 'Instant of this response, in UTC.' }),
    unavailable_grains: Type.Array(Type.String(), {
      description: 'Grains that have no dossier of their own.',
    }),
    grains: Type.Array(ManifestGrainSchema),
  },
  { description: 'Every field of every dossier, and its source.' },
);
