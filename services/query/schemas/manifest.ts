import { type Static, Type } from '@sinclair/typebox';
import { orNull } from '../../../projections/values.ts';

const ManifestFieldSchema = Type.Object(
  {
    path: Type.String({
      description: 'Names from the dossier down, joined by dots, with [] for the items of a list.',
    }),
    type: Type.Union(
      ['string', 'number', 'integer', 'boolean', 'object', 'array'].map((type) => Type.Literal(type)),
      { description: 'JSON type of the field where it is not null.' },
    ),
    nullable: Type.Boolean({ description: 'Whether the field may be null.' }),
    producer: Type.String({
      description: 'Who owns the source; linernotes for what the service itself makes.',
    }),
    sourceTable: orNull(
      Type.String({
        description: 'Producer table that feeds the field first; null for what the service makes.',
      }),
    ),
    refreshCadence: orNull(
      Type.String({ description: 'How often the producer refreshes it; null for what the service makes.' }),
    ),
    tier: orNull(
      Type.String({
        description: 'How much the word of the source counts; null for what the service makes.',
      }),
    ),
    description: Type.String({ description: 'What the field says, in one sentence.' }),
  },
  { description: 'One field of a dossier.' },
);
export type ManifestField = Static<typeof ManifestFieldSchema>;

const ManifestGrainSchema = Type.Object(
  {
    grain: Type.String({ description: 'What the dossiers are about.' }),
    endpoint: Type.String({ description: 'Path under which they are served.' }),
    fields: Type.Array(ManifestFieldSchema, { description: 'Every field, in the order of the dossier.' }),
  },
  { description: 'One kind of dossier.' },
);
export type ManifestGrain = Static<typeof ManifestGrainSchema>;

/** The data dictionary as served. */
export const ManifestBody = Type.Object(
  {
    contract_version: Type.String({ description: 'Version of the dossier contract.' }),
    generated_at: Type.String({ format: 'date-time', description: 'Instant of this answer, in UTC.' }),
    unavailable_grains: Type.Array(Type.String(), {
      description: 'Grains that have no dossier of their own.',
    }),
    grains: Type.Array(ManifestGrainSchema),
  },
  { description: 'Every field of every dossier, and where it comes from.' },
);
