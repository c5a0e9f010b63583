import { boundedAddress } from '../bounded-address.ts';
import { normalizeName } from '../identity/name.ts';

/** An artist that somebody listens to or collects, as the service names it where they do. */
export interface TasteItem {
  readonly name: string;
  /** In lower case. */
  readonly mbid: string | null;
  readonly catalogArtistId: number | null;
}

/** What a service says of an artist; an id that is none is passed over. */
interface GivenItem {
  readonly name: string;
  readonly mbid?: unknown;
  readonly catalogArtistId?: unknown;
}

const LONGEST_NAME = 500;
const MBID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** What a decoder leaves of bytes that are no text. */
const BROKEN = '\ufffd';

/** Entries that stand for anybody: various, unknown and no artist. */
const NOBODY = {
  catalog: new Set([194, 355, 118_760]),
  mbid: new Set([
    '89ad4ac3-39f7-470e-963a-56509c546377',
    '125ec42a-7229-4250-afc5-e057484327fe',
    'eec63d3c-3b81-4ad4-b1e4-7c147d4d2b61',
  ]),
  name: new Set(['various', 'various artists', 'unknown artist', '[unknown]', '[no artist]']),
};

/** The artist that a service names; null where it names none, or nobody in particular. */
export function tasteItem({ name: given, mbid, catalogArtistId }: GivenItem): TasteItem | null {
  const name = given.replaceAll('\0', '').toWellFormed().trim();
  const normalized = normalizeName(name);
  if (normalized === '' || name.length > LONGEST_NAME || name.includes(BROKEN)) return null;
  const item = { name, mbid: mbidOf(mbid), catalogArtistId: catalogIdOf(catalogArtistId) };
  const isNobody =
    NOBODY.name.has(normalized) ||
    (item.mbid !== null && NOBODY.mbid.has(item.mbid)) ||
    (item.catalogArtistId !== null && NOBODY.catalog.has(item.catalogArtistId));
  return isNobody ? null : item;
}

function mbidOf(given: unknown): string | null {
  if (typeof given !== 'string') return null;
  const mbid = given.toLowerCase();
  return MBID.test(mbid) ? mbid : null;
}

const catalogIdOf = (given: unknown): number | null =>
  Number.isSafeInteger(given) && Number(given) > 0 ? Number(given) : null;

/** By what an item is the same as another of its account. */
export function itemKey({ name, mbid, catalogArtistId }: TasteItem): string {
  if (catalogArtistId !== null) return `catalog:${catalogArtistId}`;
  return mbid === null ? boundedAddress('name', normalizeName(name)) : `mbid:${mbid}`;
}
