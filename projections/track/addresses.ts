import { hash } from 'node:crypto';
import type { Address } from '../projection.ts';
import { comparable } from '../recording/addresses.ts';
import { lowered } from './lowered.ts';
import { artistKeys, matchKey } from './match-key.ts';
import { withoutVersion } from './without-version.ts';

/** By what an address names a track: its title, or artist and title as they are or without guests and the name of a version. */
export const RANK = { title: 0, full: 1, base: 2 } as const;

const DIGEST_LENGTH = 16;
/** Ninety-six bits: whatever is found is held against the track itself, so that a clash costs no more than a look. */
const digest = (text: string): string => hash('sha256', text, 'base64url').slice(0, DIGEST_LENGTH);

const TITLE_KIND = 'title:';
/** Where in the address of a title its text begins, counted from 0. */
export const TITLE_TEXT_AT = TITLE_KIND.length + DIGEST_LENGTH + 1;
/** Of the text of a title, so that the address fits an index. */
const MAX_TEXT_BYTES = 900;

/** What the addresses of all spellings of a title begin with; null where it says nothing. */
export function titleStart(title: string): string | null {
  const key = comparable(title);
  return key === '' ? null : `${TITLE_KIND}${digest(key)}:`;
}

function titleAddress(title: string): string | null {
  const start = titleStart(title);
  return start === null ? null : start + firstBytes(lowered(title));
}

function firstBytes(text: string): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(MAX_TEXT_BYTES));
  return text.slice(0, read);
}

/** @param artist and title as keys; without an artist the title alone is what is looked up */
export const keyAddress = (title: string, artist: string | null): string =>
  artist === null ? `only:${digest(title)}` : `by:${digest(`${artist}\u001f${title}`)}`;

/** The keys of a title as it is and without the name of a version; null where it says nothing. */
export interface TitleKeys {
  readonly full: string;
  readonly base: string;
}

export function titleKeys(title: string): TitleKeys | null {
  const full = matchKey(title);
  if (full === '') return null;
  const base = withoutVersion(title);
  return { full, base: base === title ? full : matchKey(base) };
}

interface Claimed {
  readonly credit: string;
  readonly title: string;
  readonly support: number;
}

/**
 * Everything that tracks are looked up by, each address once, with the greatest support that is claimed under it.
 *
 * @param isFoundByTitle whether a track is also looked up by its title where the artist is not known
 */
export function trackAddresses(tracks: readonly Claimed[], isFoundByTitle: boolean): Address[] {
  const claims = new Map<string, Address>();
  const claim = (address: string, rank: number, support: number): void => {
    const id = `${rank} ${address}`;
    const before = claims.get(id)?.support ?? 0;
    claims.set(id, { address, rank, support: Math.max(before, support) });
  };
  for (const { credit, title, support } of tracks) {
    const address = titleAddress(title);
    if (address !== null) claim(address, RANK.title, support);
    const keys = titleKeys(title);
    if (keys === null) continue;
    const artist = artistKeys(credit);
    const owners = [
      ...(artist === null ? [] : [artist]),
      ...(isFoundByTitle ? [{ full: null, base: null }] : []),
    ];
    for (const owner of owners) {
      const [full, base] = [keyAddress(keys.full, owner.full), keyAddress(keys.base, owner.base)];
      claim(full, RANK.full, support);
      if (base !== full) claim(base, RANK.base, support);
    }
  }
  return [...claims.values()];
}
