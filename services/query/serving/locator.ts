import { catalogAddress, clusterAddress, mbidAddress } from '../../../projections/identity/claims.ts';
import { normaliseIsrc } from '../../../projections/identity/links/normalise-isrc.ts';
import { isAddress, parseLink } from '../../../projections/identity/links/parse-link.ts';
import type { ParsedLink } from '../../../projections/identity/links/parsed-link.ts';
import { isrcAddress, trackAddress } from '../../../projections/recording/addresses.ts';
import { ApiError } from '../errors.ts';

/** The parameters that name an artist; `artist` and `track` do so together. */
const PARAMETERS = ['url', 'q', 'cluster', 'catalog', 'mbid', 'isrc', 'artist', 'track'] as const;
type Parameter = (typeof PARAMETERS)[number];
type LocatorName = Exclude<Parameter, 'artist' | 'track'> | 'artist_track';

/** Parameters of a request, checked against its schema. */
export type LocatorQuery = Readonly<Partial<Record<Parameter, string>>>;

/** What a resolve request asks for. */
export type Locator =
  | { readonly by: 'url'; readonly link: ParsedLink }
  | { readonly by: 'q'; readonly name: string }
  /** `address` is null where the locator is well-formed but cannot name an artist; `note` says why. */
  | {
      readonly by: 'cluster' | 'catalog' | 'mbid';
      readonly address: string | null;
      readonly note?: string;
    }
  /** `address` is null where the text holds nothing to look a recording up by. */
  | { readonly by: 'isrc' | 'artist_track'; readonly address: string | null };

const MAX_NAME_LENGTH = 1_000;
const CLUSTER_ID = /^[0-9a-f]{64}$/i;
const MBID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The one locator among parameters, before they are checked against the schema. Beside one of a recording a name is
 * the lesser word and does not count.
 *
 * @throws ApiError `missing_locator`, or `invalid_locator` where there are several, or one of a pair alone
 */
export function chooseLocator(query: Readonly<Record<string, unknown>>): LocatorName {
  const given = PARAMETERS.filter((name) => isGiven(query[name]));
  if (given.length === 0) throw new ApiError('missing_locator');
  for (const [name, other] of [
    ['artist', 'track'],
    ['track', 'artist'],
  ] as const) {
    if (!given.includes(name) || given.includes(other)) continue;
    throw new ApiError('invalid_locator', {
      message: `${name} is given without ${other}; a recording is named by both.`,
      hint: 'Pass both artist and track, or resolve the artist by name with q.',
      param: other,
    });
  }
  const named = [...new Set(given.map(locatorOf))];
  const [chosen = 'q', another] = named.filter((name) => name !== 'q' || !named.some(isOfRecording));
  if (another === undefined) return chosen;
  throw new ApiError('invalid_locator', {
    message: `Give exactly one locator, not ${given.join(' and ')}.`,
    param: another === 'artist_track' ? 'artist' : another,
  });
}

const isGiven = (value: unknown): boolean =>
  typeof value === 'string' ? value.trim() !== '' : value !== undefined && value !== null;
const locatorOf = (name: Parameter): LocatorName =>
  name === 'artist' || name === 'track' ? 'artist_track' : name;
const isOfRecording = (name: LocatorName): boolean => name === 'isrc' || name === 'artist_track';

/** @throws ApiError `invalid_locator` */
export function parseLocator(by: LocatorName, query: LocatorQuery): Locator {
  switch (by) {
    case 'url':
      return { by, link: parsePastedLink(query.url ?? '') };
    case 'q':
      return { by, name: parseName('q', query.q) };
    case 'cluster':
      return {
        by,
        address: clusterAddress(
          matching('cluster', query.cluster, CLUSTER_ID, 'a cluster id of 64 hex digits'),
        ),
      };
    case 'mbid':
      return { by, address: mbidAddress(matching('mbid', query.mbid, MBID, 'a UUID')) };
    case 'catalog':
      return { by, ...parseCatalogId(query.catalog ?? '') };
    case 'isrc':
      return { by, address: isrcAddress(parseIsrc(query.isrc ?? '')) };
    case 'artist_track':
      return {
        by,
        address: trackAddress(parseName('artist', query.artist), parseName('track', query.track)),
      };
  }
}

function parsePastedLink(text: string): ParsedLink {
  const link = parseLink(text);
  if (!isAddress(link)) throw malformed('url', 'url is no address of a web page.');
  return link;
}

function parseName(param: Parameter, name = ''): string {
  if (name.length > MAX_NAME_LENGTH)
    throw malformed(param, `${param} is longer than ${MAX_NAME_LENGTH} characters.`);
  if (name.includes('\0') || !name.isWellFormed())
    throw malformed(param, `${param} holds what is not a character.`);
  return name;
}

function matching(param: Parameter, text = '', form: RegExp, what: string): string {
  if (!form.test(text)) throw malformed(param, `${param} is not ${what}.`);
  return text;
}

function parseCatalogId(id: string): { address: string | null; note?: string } {
  const number = /^\d+$/.test(id) ? Number(id) : Number.NaN;
  if (Number.isSafeInteger(number)) return { address: catalogAddress(number) };
  return {
    address: null,
    note: 'catalog takes the bare number of an artist; prefixed forms and ids of releases name no artist.',
  };
}

function parseIsrc(text: string): string {
  const isrc = normaliseIsrc(text);
  if (isrc === null)
    throw malformed('isrc', 'isrc is not an ISRC: 12 characters, of which hyphens and spaces are none.');
  return isrc;
}

const malformed = (param: Parameter, message: string): ApiError =>
  new ApiError('invalid_locator', { message, param });
