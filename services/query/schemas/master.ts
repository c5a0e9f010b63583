import { Type } from '@sinclair/typebox';
import { MASTER_OBJECT } from '../../../projections/master/dossier.ts';
import { facets } from '../../../projections/master/facets/index.ts';
import { GeneratedAt, Provenance } from './envelope.ts';

/** A release group as served under one of its artists. */
export const MasterDossierBody = Type.Union([
  Type.Object(
    {
      object: Type.Literal(MASTER_OBJECT),
      present: Type.Literal(true),
      master: Type.Object({
        grain: Type.Literal('master'),
        ...Object.fromEntries(facets.map(({ name, schema }) => [name, schema])),
        provenance: Provenance,
        generated_at: GeneratedAt,
      }),
    },
    { description: 'Everything known of one release group, and where it comes from.' },
  ),
  Type.Object(
    {
      object: Type.Literal(MASTER_OBJECT),
      present: Type.Literal(false),
      master: Type.Null(),
    },
    { description: 'No such release group is filed under this artist, or its bind is not authoritative.' },
  ),
]);
