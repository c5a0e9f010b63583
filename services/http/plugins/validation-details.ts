import type { FastifySchemaValidationError } from 'fastify';
import type { HttpErrorDetail } from '../errors.ts';

/** A fault that a validator found, with the invalid value if the validator reports it. */
export interface ValidationFailure extends FastifySchemaValidationError {
  readonly data?: unknown;
}

/** Path of a parameter, not of something within one, nor of a body. */
const NAME = /^[^.]+$/;

/** The faults of each parameter, in words for the client. */
export function validationDetails(failures: readonly ValidationFailure[]): HttpErrorDetail[] {
  const byPath = Map.groupBy(failures, pathOf);
  return [...byPath].flatMap(([path, ofPath]) =>
    messagesOf(path, ofPath).map((message) => ({ path, message })),
  );
}

function pathOf({ instancePath, keyword, params }: ValidationFailure): string {
  const path = instancePath.slice(1).replaceAll('/', '.');
  if (keyword === 'additionalProperties') return within(path, params.additionalProperty);
  return keyword === 'required' ? within(path, params.missingProperty) : path;
}

/** The path of a field; a parameter has no parent. */
const within = (path: string, name: unknown): string => (path === '' ? `${name}` : `${path}.${name}`);

/** A validator reports each alternative that does not match; one sentence that lists the allowed values replaces them. */
function messagesOf(path: string, failures: readonly ValidationFailure[]): readonly string[] {
  if (NAME.test(path) && failures.some(isRepeated)) return ['is given more than once'];
  const allowed = failures.flatMap(allowedBy);
  if (allowed.length > 0) return [allowedMessage(allowed)];
  return failures.map(messageOf);
}

/** A parameter that is repeated arrives as a list. */
const isRepeated = ({ keyword, data }: ValidationFailure): boolean =>
  keyword === 'type' && Array.isArray(data);

function allowedBy({ keyword, params }: ValidationFailure): readonly unknown[] {
  if (keyword === 'enum') return [params.allowedValues].flat();
  return keyword === 'const' ? [params.allowedValue] : [];
}

function allowedMessage(allowed: readonly unknown[]): string {
  const values = [...new Set(allowed.map(String))];
  return values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(', ')}`;
}

function messageOf({ instancePath, keyword, message, params }: ValidationFailure): string {
  if (keyword === 'additionalProperties')
    return instancePath === '' ? 'is not a parameter of this route' : 'is not a field that is known here';
  if (keyword === 'required') return 'is required';
  if (keyword === 'type' && Array.isArray(params.type)) return `must be ${params.type.join(' or ')}`;
  return message ?? 'is not valid';
}
