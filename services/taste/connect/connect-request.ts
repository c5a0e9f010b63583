import type { ConsentService } from '../contract/contract.ts';
import type { Consumers } from '../contract/registry.ts';
import { checkReturnUrl, type ReturnUrl } from './return-url.ts';

/** The connection that a consumer requests for its user. */
export interface ConnectRequest {
  readonly service: ConsentService;
  readonly back: ReturnUrl;
}

/** The names of the services on pages. */
export const SERVICES = {
  scrobbler: { name: 'music-scrobbling service', source: 'listening history', account: 'scrobbling account' },
  catalog: { name: 'release catalogue', source: 'public collection', account: 'catalogue account' },
} as const satisfies Readonly<Record<ConsentService, object>>;

const isService = (text: string): text is ConsentService => Object.hasOwn(SERVICES, text);

/**
 * Reads the requested connection from the query or the form. Null if it is not permitted: `service` and `return` must each
 * be present once, and a consumer of the contract must be allowed to request them.
 */
export function readConnectRequest(given: URLSearchParams, consumers: Consumers): ConnectRequest | null {
  const service = onlyOne(given, 'service');
  const text = onlyOne(given, 'return');
  if (service === null || text === null || !isService(service)) return null;
  const back = checkReturnUrl(text, consumers);
  return back?.consumer.services.includes(service) ? { service, back } : null;
}

/** The value of a parameter that is given once; null otherwise. */
export function onlyOne(given: URLSearchParams, name: string): string | null {
  const [value, another] = given.getAll(name);
  return value === undefined || another !== undefined ? null : value;
}

/** The query of a request as a browser would read it. */
export function queryOf(url: string): URLSearchParams {
  const start = url.indexOf('?');
  return new URLSearchParams(start === -1 ? '' : url.slice(start));
}
