import { hash } from 'node:crypto';
import { facets } from '../../../projections/artist/facets/index.ts';
import { ApiError } from '../errors.ts';

/** Every name that `fields` takes, in the order of the dossier. */
export const fieldNames: readonly string[] = [...facets.map((facet) => facet.name), 'provenance'];

const EXAMPLE = ['identity', 'emergence'];

/** Facets that a request asked for. */
export interface FieldSelection {
  readonly names: ReadonlySet<string>;
  /** Tells one selection from another, whatever the order it was asked in. */
  readonly tag: string;
}

/**
 * @param fields the parameter as sent, comma-separated
 * @param path of the request, for the example of a refusal
 * @throws ApiError `invalid_fields`
 */
export function parseFields(fields: string, path: string): FieldSelection {
  const asked = fields.split(',').map((name) => name.trim());
  const unknown = asked.filter((name) => !fieldNames.includes(name));
  if (unknown.length > 0) throw invalidFields(asked, unknown, path);
  const names = fieldNames.filter((name) => asked.includes(name));
  return {
    names: new Set(names),
    tag: hash('sha256', names.join(), 'hex').slice(0, 8),
  };
}

function invalidFields(asked: readonly string[], unknown: readonly string[], path: string): ApiError {
  const known = fieldNames.filter((name) => asked.includes(name));
  const example = `${path}?fields=${(known.length > 0 ? known : EXAMPLE).join()}`;
  return new ApiError('invalid_fields', {
    message: `fields names ${unknown.map(quoted).join(', ')}, which is not a facet of the dossier.`,
    hint: `Valid are ${fieldNames.join(', ')}. For example: ${example}`,
    param: 'fields',
    next: example,
  });
}

const MAX_QUOTED = 60;

const quoted = (name: string): string => {
  if (name === '') return 'an empty name';
  return `"${name.length > MAX_QUOTED ? `${name.slice(0, MAX_QUOTED)}…` : name}"`;
};
