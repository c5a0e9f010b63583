import { Type } from '@sinclair/typebox';
import { facets } from '../../../projections/festival/facets/index.ts';
import { orNull } from '../../../projections/values.ts';
import { ContractVersion, GeneratedAt, Provenance } from './envelope.ts';

/** A festival dossier as served. */
export const FestivalDossierBody = Type.Object(
  {
    contract_version: ContractVersion,
    grain: Type.Literal('festival', { description: 'What the dossier is about.' }),
    slug: Type.String({ description: "The festival's own slug, whichever name was asked for." }),
    display: Type.String({ description: "The festival's display name; the slug where no source names it." }),
    id: orNull(
      Type.String({
        description: 'Festival id, to be passed on verbatim; null where the key did not resolve.',
      }),
    ),
    ...Object.fromEntries(facets.map(({ name, schema }) => [name, schema])),
    provenance: Provenance,
    generated_at: GeneratedAt,
  },
  { description: 'Everything known of one festival, by facet, and where it comes from.' },
);
