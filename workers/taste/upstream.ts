import type { ImportFailure } from '../../projections/models/taste/imports.ts';
import type { TasteItem } from '../../projections/models/taste/item.ts';

/** Services to import from. */
export const IMPORT_SERVICES = ['scrobbler', 'catalog'] as const;
export type ImportService = (typeof IMPORT_SERVICES)[number];

export interface ServiceResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON; undefined without valid JSON. */
  readonly body: unknown;
}

/** Failures that a later retry may resolve, perhaps after an operator's fix. */
export type TransientFailure = Extract<
  ImportFailure,
  'bad_answer' | 'not_computed' | 'refused' | 'unavailable'
>;

/** A page of items (`next` is null on the last), a failure to retry later, or a permanent failure. */
export type PageResult =
  | { readonly kind: 'page'; readonly items: readonly TasteItem[]; readonly next: number | null }
  | {
      readonly kind: 'transient';
      readonly failure: TransientFailure;
      /** Milliseconds to pause all requests to the service, as its body demands. */
      readonly holdMs: number;
    }
  | { readonly kind: 'permanent'; readonly failure: ImportFailure };

export interface ServiceRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/** A service that lists what its users listen to or collect, page by page. */
export interface Upstream {
  readonly service: ImportService;
  /** Milliseconds between two requests, across all processes. */
  readonly intervalMs: number;
  /** Position of the first page. Each page gives the position of the next in `next`. */
  readonly first: number;
  /** @param at page number or offset, as the service counts */
  request(username: string, at: number): ServiceRequest;
  /** @param at of the request */
  read(response: ServiceResponse, at: number): PageResult;
}

export const transient = (failure: TransientFailure, holdMs = 0): PageResult => ({
  kind: 'transient',
  failure,
  holdMs,
});
export const permanent = (failure: ImportFailure): PageResult => ({ kind: 'permanent', failure });

/** Interprets statuses that mean the same for every service; null for all others. */
export function readStatus(status: number): PageResult | null {
  if (status === 408 || status === 425 || status === 429 || status >= 500) return transient('unavailable');
  return null;
}

/**
 * Whether an error message is about an unknown user, not an unknown URL. A URL quoted in the message does not count.
 */
export const mentionsUser = (message: string): boolean => /(?<![\w/])users?(?![\w/])/i.test(message);
