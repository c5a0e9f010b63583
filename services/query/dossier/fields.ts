import { hash } from 'node:crypto';
import { facets } from '../../../projections/models/artist/facets/index.ts';
import { ApiError } from '../../http/errors.ts';
import { nearest } from '../../http/nearest.ts';

/** Every name that `fields` accepts, in the order of the dossier. */
export const fieldNames: readonly string[] = [...facets.map((facet) => facet.name), 'provenance'];

const EXAMPLE = ['identity', 'emergence'];

/** The facets that a request selects. */
export interface FieldSelection {
  readonly names: ReadonlySet<string>;
  /** Identifies the selection, whatever the order of its names. */
  readonly tag: string;
}

/**
 * @param fields the parameter as sent, separated by commas
 * @param path of the request, for the example in the error
 * @throws ApiError `invalid_fields`
 */
export function parseFields(fields: string, path: string): FieldSelection {
  const given = fields.split(',').map((name) => name.trim());
  const unknown = given.filter((name) => !fieldNames.includes(name));
  if (unknown.length > 0) throw invalidFields(given, unknown, path);
  const names = fieldNames.filter((name) => given.includes(name));
  return {
    names: new Set(names),
    tag: hash('sha256', names.join(), 'hex').slice(0, 8),
  };
}

function invalidFields(given: readonly string[], unknown: readonly string[], path: string): ApiError {
  const meant = unknown.flatMap((name) => nearest(name, fieldNames) ?? []);
  const known = fieldNames.filter((name) => given.includes(name) || meant.includes(name));
  const suggestion = meant.length === 0 ? '' : `Did you mean ${[...new Set(meant)].join(', ')}? `;
  const example = `${path}?fields=${(known.length > 0 ? known : EXAMPLE).join()}`;
  return new ApiError('invalid_fields', {
    message: `fields names ${unknown.map(quoted).join(', ')}, which is not a facet of the dossier.`,
    hint: `${suggestion}Valid names: ${fieldNames.join(', ')}. Example: ${example}`,
    param: 'fields',
    next: example,
  });
}

const MAX_QUOTED = 60;

const quoted = (name: string): string => {
  if (name === '') return 'an empty name';
  return `"${name.length > MAX_QUOTED ? `${name.slice(0, MAX_QUOTED)}…` : name}"`;
};
