import type { Service } from '../contract/contract.ts';
import type { Consumers } from '../contract/registry.ts';
import { checkReturnUrl, type ReturnUrl } from './return-url.ts';

/** What a consumer sends its user here for. */
export interface ConnectRequest {
  readonly service: Service;
  readonly back: ReturnUrl;
}

/** What each service is called on pages. */
export const SERVICES = {
  scrobbler: { name: 'music-scrobbling service', source: 'listening history', account: 'scrobbling account' },
  catalog: { name: 'release catalogue', source: 'public collection', account: 'catalogue account' },
} as const satisfies Readonly<Record<Service, object>>;

const isService = (text: string): text is Service => Object.hasOwn(SERVICES, text);

/**
 * Reads what is asked for from the query or the form. Null where it may not start: each of `service` and `return` has
 * to be there once, and be what a consumer of the contract may ask for.
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
