import { ApiError } from '../errors.ts';

const LOCATORS = ['q', 'cluster', 'catalog', 'mbid'] as const;
export type LocatorName = (typeof LOCATORS)[number];

/** What a resolve request asks for. */
export type Locator =
  | { readonly matchedOn: 'name'; readonly name: string }
  /** `address` is null where the locator is well-formed but cannot name an artist; `note` says why. */
  | {
      readonly matchedOn: 'cluster' | 'catalog' | 'mbid';
      readonly address: string | null;
      readonly note?: string;
    };

const MAX_NAME_LENGTH = 1_000;
const CLUSTER_ID = /^[0-9a-f]{64}$/i;
const MBID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The one locator among query parameters, before they are checked against the schema.
 *
 * @throws ApiError `missing_locator`, or `invalid_locator` where there are several
 */
export function chooseLocator(query: Readonly<Record<string, unknown>>): LocatorName {
  const given = LOCATORS.filter((name) => isGiven(query[name]));
  const [first, second] = given;
  if (first === undefined) throw new ApiError('missing_locator');
  if (second !== undefined) {
    throw new ApiError('invalid_locator', {
      message: `Give exactly one locator, not ${given.join(' and ')}.`,
      param: second,
    });
  }
  return first;
}

const isGiven = (value: unknown): boolean => value !== undefined && String(value).trim() !== '';

/** @throws ApiError `invalid_locator` */
export function parseLocator(kind: LocatorName, value: string): Locator {
  switch (kind) {
    case 'q':
      return { matchedOn: 'name', name: parseName(value) };
    case 'cluster':
      if (!CLUSTER_ID.test(value)) throw malformed(kind, 'cluster is not a cluster id of 64 hex digits.');
      return {
        matchedOn: 'cluster',
        address: `cluster:${value.toLowerCase()}`,
      };
    case 'mbid':
      if (!MBID.test(value)) throw malformed(kind, 'mbid is not a UUID.');
      return { matchedOn: 'mbid', address: `mbid:${value.toLowerCase()}` };
    case 'catalog':
      return { matchedOn: 'catalog', ...parseCatalogId(value) };
  }
}

function parseName(name: string): string {
  if (name.length > MAX_NAME_LENGTH) throw malformed('q', `q is longer than ${MAX_NAME_LENGTH} characters.`);
  if (name.includes('\0') || !name.isWellFormed()) throw malformed('q', 'q holds what is not a character.');
  return name;
}

function parseCatalogId(id: string): { address: string | null; note?: string } {
  const number = /^\d+$/.test(id) ? Number(id) : Number.NaN;
  if (Number.isSafeInteger(number)) return { address: `catalog:${number}` };
  return {
    address: null,
    note: 'catalog takes the bare number of an artist; prefixed forms and ids of releases name no artist.',
  };
}

const malformed = (param: LocatorName, message: string): ApiError =>
  new ApiError('invalid_locator', { message, param });
