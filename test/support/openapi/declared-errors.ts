import type { FastifyContextConfig, FastifySchema } from 'fastify';
import { DATABASE_ERRORS } from '../../../services/http/database-errors.ts';
import type { ErrorCode } from '../../../services/http/errors.ts';

export interface DeclaringRoute {
  readonly method: string | readonly string[];
  readonly url: string;
  readonly config?: FastifyContextConfig | undefined;
  readonly schema?: FastifySchema | undefined;
}

/** Faults of the connection and of the service itself, which no operation lists. */
export const UNLISTED_ERRORS: ReadonlySet<string> = new Set<ErrorCode>([
  'headers_too_large',
  'request_timeout',
  'internal_error',
]);

/** Whether requests to the route can wait for a change. */
export const canWait = ({ method, url, config }: DeclaringRoute): boolean =>
  ['GET', 'HEAD'].includes(String(method)) && !config?.isPublic && url.startsWith('/api/v2');

/** The codes of every error of a route, sorted: its own ones, and those that follow from its settings. */
export function declaredErrors(route: DeclaringRoute): readonly ErrorCode[] {
  const { errors = [], isPublic = false, isNeverShed = false } = route.config ?? {};
  const codes = new Set<ErrorCode>([...errors, 'malformed_request', 'rate_limited', 'deadline_exceeded']);
  const add = (isRaised: boolean, ...more: readonly ErrorCode[]): void => {
    if (isRaised) for (const code of more) codes.add(code);
  };
  add(!isNeverShed, 'overloaded');
  // Keys are verified in the database.
  add(!isPublic, 'missing_api_key', 'invalid_api_key', ...DATABASE_ERRORS);
  add(route.schema?.querystring !== undefined || canWait(route), 'invalid_query');
  add(route.method === 'POST', 'invalid_json', 'payload_too_large', 'unsupported_media_type');
  return [...codes].sort();
}
