import type { ImportFailure } from '../../projections/taste/import-failure.ts';
import type { TasteItem } from '../../projections/taste/item.ts';

/** Services that imports come from. */
export const TASTE_SERVICES = ['scrobbler', 'catalog'] as const;
export type TasteService = (typeof TASTE_SERVICES)[number];

/** What a service answered. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The JSON; undefined where there was none. */
  readonly body: unknown;
}

/** Failures after which asking again may help, even if somebody has to mend something first. */
export type PassingFailure = Extract<
  ImportFailure,
  'bad_answer' | 'not_computed' | 'refused' | 'unavailable'
>;

/** What an answer comes to: a page, whose `next` is null on the last; a reason to ask again later; or one not to. */
export type Reading =
  | { readonly kind: 'page'; readonly items: readonly TasteItem[]; readonly next: number | null }
  | {
      readonly kind: 'later';
      readonly failure: PassingFailure;
      /** For how long the service wants no request from anybody, by what the body says. */
      readonly holdMs: number;
    }
  | { readonly kind: 'never'; readonly failure: ImportFailure };

export interface UpstreamRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/** A service that tells what its users listen to or collect, page by page. */
export interface Upstream {
  readonly service: TasteService;
  /** Milliseconds between two requests, whoever sends them. */
  readonly intervalMs: number;
  /** Where the first page is. What follows comes from `next` of the page before. */
  readonly first: number;
  /** @param at page or offset, as the service counts */
  request(username: string, at: number): UpstreamRequest;
  /** @param at of the request */
  read(answer: Answer, at: number): Reading;
}

export const later = (failure: PassingFailure, holdMs = 0): Reading => ({ kind: 'later', failure, holdMs });
export const never = (failure: ImportFailure): Reading => ({ kind: 'never', failure });

/** What a status says by itself, whatever the service; null where it says nothing. */
export function readStatus(status: number): Reading | null {
  if (status === 408 || status === 425 || status === 429 || status >= 500) return later('unavailable');
  return null;
}

/**
 * Whether an error speaks of a user, rather than of an address that leads nowhere: what a service says of nobody by a name.
 * An address that it repeats does not count.
 */
export const speaksOfUser = (message: string): boolean => /(?<![\w/])users?(?![\w/])/i.test(message);
