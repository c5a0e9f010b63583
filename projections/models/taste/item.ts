import { boundedKey } from '../shared/bounded-key.ts';
import { normalizeName } from '../shared/name.ts';

/** An artist that a user listens to or collects, as the service names it. */
export interface TasteItem {
  readonly name: string;
  /** In lower case. */
  readonly mbid: string | null;
  readonly catalogArtistId: number | null;
}

/** An artist as given by a service; malformed ids are ignored. */
interface GivenItem {
  readonly name: string;
  readonly mbid?: unknown;
  readonly catalogArtistId?: unknown;
}

const LONGEST_NAME = 500;
const MBID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** The replacement character of a decoder. */
const BROKEN = '\ufffd';

/** Entries that stand for no particular artist: various, unknown, none. */
const PLACEHOLDERS = {
  catalog: new Set([194, 355, 118_760]),
  mbid: new Set([
    '89ad4ac3-39f7-470e-963a-56509c546377',
    '125ec42a-7229-4250-afc5-e057484327fe',
    'eec63d3c-3b81-4ad4-b1e4-7c147d4d2b61',
  ]),
  name: new Set(['various', 'various artists', 'unknown artist', '[unknown]', '[no artist]']),
};

/** The item of a service's artist; null for a blank name or a placeholder. */
export function tasteItem({ name: given, mbid, catalogArtistId }: GivenItem): TasteItem | null {
  const name = given.replaceAll('\0', '').toWellFormed().trim();
  const normalized = normalizeName(name);
  if (normalized === '' || name.length > LONGEST_NAME || name.includes(BROKEN)) return null;
  const item = { name, mbid: mbidOf(mbid), catalogArtistId: catalogIdOf(catalogArtistId) };
  const isPlaceholder =
    PLACEHOLDERS.name.has(normalized) ||
    (item.mbid !== null && PLACEHOLDERS.mbid.has(item.mbid)) ||
    (item.catalogArtistId !== null && PLACEHOLDERS.catalog.has(item.catalogArtistId));
  return isPlaceholder ? null : item;
}

function mbidOf(given: unknown): string | null {
  if (typeof given !== 'string') return null;
  const mbid = given.toLowerCase();
  return MBID.test(mbid) ? mbid : null;
}

const catalogIdOf = (given: unknown): number | null =>
  Number.isSafeInteger(given) && Number(given) > 0 ? Number(given) : null;

/** Identifies an item within its account. */
export function itemKey({ name, mbid, catalogArtistId }: TasteItem): string {
  if (catalogArtistId !== null) return `catalog:${catalogArtistId}`;
  return mbid === null ? boundedKey('name', normalizeName(name)) : `mbid:${mbid}`;
}
