import { isWebUrl, parseLink } from '../../../projections/models/identity/links/parse-link.ts';
import type { ParsedLink } from '../../../projections/models/identity/links/parsed-link.ts';
import { catalogKey, clusterKey, mbidKey } from '../../../projections/models/identity/lookup-keys.ts';
import { isrcKey, trackKey } from '../../../projections/models/recording/lookup-keys.ts';
import { normaliseIsrc } from '../../../projections/models/recording/normalise-isrc.ts';
import { ApiError } from '../../http/errors.ts';
import { clusterIdFault } from '../dossier/entity-key.ts';

/** The parameters that name an artist; `artist` and `track` do so together. */
const PARAMETERS = ['url', 'q', 'cluster', 'catalog', 'mbid', 'isrc', 'artist', 'track'] as const;
type Parameter = (typeof PARAMETERS)[number];
type LocatorName = Exclude<Parameter, 'artist' | 'track'> | 'artist_track';

/** Parameters of a request, checked against its schema. */
export type LocatorQuery = Readonly<Partial<Record<Parameter, string>>>;

/** The locator of a resolve request. */
export type Locator =
  | { readonly by: 'url'; readonly link: ParsedLink }
  | { readonly by: 'q'; readonly name: string }
  /** `lookupKey` is null if the locator is well-formed but cannot identify an artist; `note` says why. */
  | {
      readonly by: 'cluster' | 'catalog' | 'mbid';
      readonly lookupKey: string | null;
      readonly note?: string;
    }
  /** `lookupKey` is null if the text has nothing to look a recording up by. */
  | { readonly by: 'isrc' | 'artist_track'; readonly lookupKey: string | null };

const MAX_NAME_LENGTH = 1_000;
/** The shape of an id, and its name in errors. */
interface IdForm {
  readonly shape: RegExp;
  readonly name: string;
}

const CLUSTER_ID: IdForm = { shape: /^[0-9a-f]{64}$/, name: 'a cluster id of 64 lower-case hex digits' };
const MBID: IdForm = { shape: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, name: 'a UUID' };

/**
 * The one locator among the parameters, before schema validation. A locator of a recording takes precedence over a name.
 *
 * @throws ApiError `missing_locator`, or `invalid_locator` if there are several or half of artist and track
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
      message: `${name} is given without ${other}; a recording needs both.`,
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
        lookupKey: clusterKey(matching('cluster', query.cluster, CLUSTER_ID)),
      };
    case 'mbid':
      return { by, lookupKey: mbidKey(matching('mbid', query.mbid, MBID)) };
    case 'catalog':
      return { by, ...parseCatalogId(query.catalog ?? '') };
    case 'isrc':
      return { by, lookupKey: isrcKey(parseIsrc(query.isrc ?? '')) };
    case 'artist_track':
      return {
        by,
        lookupKey: trackKey(parseName('artist', query.artist), parseName('track', query.track)),
      };
  }
}

function parsePastedLink(text: string): ParsedLink {
  const link = parseLink(text);
  if (!isWebUrl(link)) throw malformed('url', 'url is not the URL of a web page.');
  return link;
}

function parseName(param: Parameter, name = ''): string {
  if (name.length > MAX_NAME_LENGTH)
    throw malformed(param, `${param} is longer than ${MAX_NAME_LENGTH} characters.`);
  if (name.includes('\0') || !name.isWellFormed())
    throw malformed(param, `${param} contains invalid characters.`);
  return name;
}

function matching(param: Parameter, text = '', { shape, name }: IdForm): string {
  if (!shape.test(text)) {
    const fault = param === 'cluster' ? clusterIdFault(text) : null;
    throw malformed(param, `${param} ${fault ?? `is not ${name}`}.`);
  }
  return text;
}

function parseCatalogId(id: string): { lookupKey: string | null; note?: string } {
  const number = /^\d+$/.test(id) ? Number(id) : Number.NaN;
  if (Number.isSafeInteger(number)) return { lookupKey: catalogKey(number) };
  return {
    lookupKey: null,
    note: 'catalog takes the number of an artist; prefixed forms and release ids are not artists.',
  };
}

function parseIsrc(text: string): string {
  const isrc = normaliseIsrc(text);
  if (isrc === null)
    throw malformed('isrc', 'isrc is not an ISRC of 12 characters, not counting hyphens and spaces.');
  return isrc;
}

const malformed = (param: Parameter, message: string): ApiError =>
  new ApiError('invalid_locator', { message, param });
