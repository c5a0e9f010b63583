import { keyAddress, type TitleKeys, titleKeys } from '../../../../projections/track/addresses.ts';
import type { Corpus, FoundTracks, Track } from '../../../../projections/track/document.ts';
import type { Claims } from '../../../../projections/track/find-claims.ts';
import { type ArtistKeys, artistKeys } from '../../../../projections/track/match-key.ts';
import { CONFIDENCE } from '../../schemas/tracks.ts';

/** What a track is looked up by. */
export interface TrackLookup {
  readonly keys: TitleKeys;
  /** Null where the artist is not known, and only the title counts. */
  readonly artist: ArtistKeys | null;
  /** That of artist and title as they are comes first. */
  readonly addresses: readonly string[];
}

/** Null where the title says nothing. */
export function trackLookup(artist: string | null, title: string): TrackLookup | null {
  const keys = titleKeys(title);
  if (keys === null) return null;
  const by = artistKeys(artist);
  const addresses = [keyAddress(keys.full, by?.full ?? null), keyAddress(keys.base, by?.base ?? null)];
  return { keys, artist: by, addresses: [...new Set(addresses)] };
}

/** The track that was chosen, with the document it is of. */
export interface Chosen {
  readonly corpus: Corpus;
  readonly track: Track;
  readonly document: FoundTracks;
  readonly confidence: number;
}

/** What decides between two tracks that match, in its order; the smaller is the better. */
type Place = readonly [tier: number, releases: number, document: string];

/**
 * The track that matches best: artist and title as they are before those without guests and the name of a version, then
 * one whose length is known, then the one on most releases; then by the key of its document, and its place there. Null
 * where none matches.
 */
export function chooseTrack(corpus: Corpus, lookup: TrackLookup, claims: Claims): Chosen | null {
  let best: { readonly chosen: Chosen; readonly place: Place } | null = null;
  // The same document may have a claim to both addresses.
  for (const document of new Set(lookup.addresses.flatMap((address) => claims.get(address) ?? []))) {
    for (const track of document.tracks) {
      const match = matchOf(lookup, track);
      if (match === null) continue;
      const tier = (match === 'full' ? 0 : 2) + (hasLength(track) ? 0 : 1);
      const place: Place = [tier, -(track.releases ?? 0), document.key];
      if (best !== null && !isBefore(place, best.place)) continue;
      best = { chosen: { corpus, track, document, confidence: confidenceOf(lookup, match) }, place };
    }
  }
  return best?.chosen ?? null;
}

function isBefore(a: Place, b: Place): boolean {
  if (a[0] !== b[0]) return a[0] < b[0];
  return a[1] === b[1] ? a[2] < b[2] : a[1] < b[1];
}

const hasLength = ({ length_ms }: Track): boolean => length_ms !== null && length_ms > 0;

function matchOf({ keys, artist }: TrackLookup, track: Track): 'full' | 'base' | null {
  const own = titleKeys(track.title);
  if (own?.full !== keys.full && own?.base !== keys.base) return null;
  const by = artist && artistKeys(track.credit);
  if (own.full === keys.full && by?.full === artist?.full) return 'full';
  return own.base === keys.base && by?.base === artist?.base ? 'base' : null;
}

function confidenceOf({ artist }: TrackLookup, match: 'full' | 'base'): number {
  if (artist === null) return CONFIDENCE.titleOnly;
  return match === 'full' ? CONFIDENCE.exact : CONFIDENCE.withoutVersion;
}

/** Of equal confidence the storefront's, which knows the page of the track. */
export const betterOf = (storefront: Chosen | null, mb: Chosen | null): Chosen | null =>
  (mb?.confidence ?? CONFIDENCE.none) > (storefront?.confidence ?? CONFIDENCE.none) ? mb : storefront;
