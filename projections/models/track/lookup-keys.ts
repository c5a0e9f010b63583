import { hash } from 'node:crypto';
import type { LookupKey } from '../../engine/projection.ts';
import { comparable } from '../recording/lookup-keys.ts';
import { foldTitle } from './fold-title.ts';
import { artistKeys, matchKey } from './match-key.ts';
import { withoutVersion } from './without-version.ts';

/** What a lookup key contains: the title alone, artist and title, or both without guests and version names. */
export const TRACK_RANK = { title: 0, full: 1, base: 2 } as const;

const DIGEST_LENGTH = 16;
/** 96 bits. Every hit is compared with the track itself, so a collision costs one comparison. */
const digest = (text: string): string => hash('sha256', text, 'base64url').slice(0, DIGEST_LENGTH);

const TITLE_KIND = 'title:';
/** Offset of the text in the lookup key of a title. */
export const TITLE_TEXT_OFFSET = TITLE_KIND.length + DIGEST_LENGTH + 1;
/** Bounds the text so that the lookup key fits an index entry. */
const MAX_TEXT_BYTES = 900;

/** Common prefix of the lookup keys of all spellings of a title; null for a blank title. */
export function titlePrefix(title: string): string | null {
  const key = comparable(title);
  return key === '' ? null : `${TITLE_KIND}${digest(key)}:`;
}

function titleKey(title: string): string | null {
  const prefix = titlePrefix(title);
  return prefix === null ? null : prefix + firstBytes(foldTitle(title));
}

function firstBytes(text: string): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(MAX_TEXT_BYTES));
  return text.slice(0, read);
}

/** The lookup key of the match keys of a title and its artist; without an artist, of the title alone. */
export const matchLookupKey = (title: string, artist: string | null): string =>
  artist === null ? `only:${digest(title)}` : `by:${digest(`${artist}\u001f${title}`)}`;

/** The match keys of a title as it is and without version names. */
export interface TitleKeys {
  readonly full: string;
  readonly base: string;
}

/** Null for a blank title. */ export function titleKeys(title: string): TitleKeys | null {
  const full = matchKey(title);
  if (full === '') return null;
  const base = withoutVersion(title);
  return { full, base: base === title ? full : matchKey(base) };
}

interface CreditedTitle {
  readonly credit: string;
  readonly title: string;
  readonly support: number;
}

/**
 * All lookup keys of tracks, each once with its greatest support.
 *
 * @param isFoundByTitle whether tracks are also found by title without an artist
 */
export function trackLookupKeys(tracks: readonly CreditedTitle[], isFoundByTitle: boolean): LookupKey[] {
  const lookupKeys = new Map<string, LookupKey>();
  const add = (value: string, rank: number, support: number): void => {
    const id = `${rank} ${value}`;
    const before = lookupKeys.get(id)?.support ?? 0;
    lookupKeys.set(id, { value, rank, support: Math.max(before, support) });
  };
  for (const { credit, title, support } of tracks) {
    const byTitle = titleKey(title);
    if (byTitle !== null) add(byTitle, TRACK_RANK.title, support);
    const keys = titleKeys(title);
    if (keys === null) continue;
    const artist = artistKeys(credit);
    const owners = [
      ...(artist === null ? [] : [artist]),
      ...(isFoundByTitle ? [{ full: null, base: null }] : []),
    ];
    for (const owner of owners) {
      const [full, base] = [matchLookupKey(keys.full, owner.full), matchLookupKey(keys.base, owner.base)];
      add(full, TRACK_RANK.full, support);
      if (base !== full) add(base, TRACK_RANK.base, support);
    }
  }
  return [...lookupKeys.values()];
}
