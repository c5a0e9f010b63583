import type { TObject, TSchema } from '@sinclair/typebox';
import type { Source } from '../../../projections/contracts/contract.ts';
import { sourceByTable } from '../../../projections/contracts/index.ts';
import type { Facet } from '../../../projections/engine/facet.ts';
import { facets as artistFacets } from '../../../projections/models/artist/facets/index.ts';
import { facets as festivalFacets } from '../../../projections/models/festival/facets/index.ts';
import { facets as labelFacets } from '../../../projections/models/label/facets/index.ts';
import { ArtistDossierBody } from '../artist/route.ts';
import { FestivalDossierBody } from '../festival/route.ts';
import { LabelDossierBody } from '../label/route.ts';
import type { ManifestField, ManifestGrain } from './schema.ts';

interface GrainDeclaration {
  readonly grain: string;
  readonly endpoint: string;
  readonly body: TObject;
  readonly facets: readonly Pick<Facet, 'name' | 'sources' | 'description'>[];
}

const declarations: readonly GrainDeclaration[] = [
  { grain: 'artist', endpoint: '/api/v2/artist/{key}', body: ArtistDossierBody, facets: artistFacets },
  { grain: 'label', endpoint: '/api/v2/label/{key}', body: LabelDossierBody, facets: labelFacets },
  {
    grain: 'festival',
    endpoint: '/api/v2/dossier/festival/{slug}',
    body: FestivalDossierBody,
    facets: festivalFacets,
  },
];

/** A release group is served under its artist only, and nothing keys a song. */
export const UNAVAILABLE_GRAINS: readonly string[] = ['master', 'song'];

/** Every field of every dossier, derived from the response schemas and the sources of their facets. */
export const manifestGrains = (): ManifestGrain[] =>
  declarations.map((declaration) => ({
    grain: declaration.grain,
    endpoint: declaration.endpoint,
    fields: fieldsOf(declaration),
  }));

/** Members without a source, and all below them. */
const OWN_PATH =
  /^(contract_version|grain|resolved_via|generated_at|provenance|identity\.resolvedVia|\w+\.state)$|(^|\.)_links$/;

/** Null for values that the service itself computes. */
type Origin = Source | null;

function fieldsOf({ body, facets }: GrainDeclaration): ManifestField[] {
  const identity = facets.find(({ name }) => name === 'identity');
  return Object.entries<TSchema>(body.properties).flatMap(([name, schema]) => {
    const facet = facets.find((known) => known.name === name);
    // Members outside facets come from the sources of the identity.
    const [first = null] = (facet ?? identity)?.sources ?? [];
    const description = schema.description ?? facet?.description;
    return fieldsBelow(name, description === undefined ? schema : { ...schema, description }, first);
  });
}

/** The entry of a field, then those of its members or items. */
function fieldsBelow(path: string, schema: TSchema, above: Origin): ManifestField[] {
  const { types, parts, isNullable } = shapeOf(schema);
  const [type, ...others] = new Set(types);
  if (type === undefined || others.length > 0)
    throw new Error(`${path} has several types: ${types.join(', ')}`);
  const origin = OWN_PATH.test(path) ? null : (namedSource(parts) ?? above);
  const field: ManifestField = {
    path,
    type,
    nullable: isNullable,
    producer: origin?.owner ?? 'linernotes',
    sourceTable: origin?.table ?? null,
    refreshCadence: origin?.cadence ?? null,
    tier: origin?.tier ?? null,
    description: descriptionOf(path, parts),
  };
  return [field, ...parts.flatMap((part) => membersOf(path, part, origin))];
}

function membersOf(path: string, schema: TSchema, origin: Origin): ManifestField[] {
  if (schema.type === 'array') return fieldsBelow(`${path}[]`, schema.items, origin);
  if (schema.type !== 'object') return [];
  const members = Object.entries<TSchema>(schema.properties);
  return members.flatMap(([name, member]) => fieldsBelow(`${path}.${name}`, member, origin));
}

interface Shape {
  readonly types: readonly string[];
  /** The schema itself, then its alternatives without null. */
  readonly parts: readonly TSchema[];
  readonly isNullable: boolean;
}

function shapeOf(schema: TSchema): Shape {
  if (schema.type === 'null') return { types: [], parts: [], isNullable: true };
  if (!Array.isArray(schema.anyOf)) return { types: [schema.type], parts: [schema], isNullable: false };
  const alternatives = schema.anyOf.map(shapeOf);
  return {
    types: alternatives.flatMap(({ types }) => types),
    parts: [schema, ...alternatives.flatMap(({ parts }) => parts)],
    isNullable: alternatives.some(({ isNullable }) => isNullable),
  };
}

const namedSource = (parts: readonly TSchema[]): Source | undefined =>
  parts.flatMap((part) => sourceByTable.get(part['x-source-table']) ?? [])[0];

function descriptionOf(path: string, parts: readonly TSchema[]): string {
  const own = parts.find(({ description }) => description !== undefined)?.description;
  return own ?? (SIGNALS.test(path) ? 'The data; null unless the state is present.' : '');
}

const SIGNALS = /^\w+\.signals?$/;
