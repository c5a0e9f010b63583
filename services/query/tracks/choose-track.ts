import type { FoundTracks, IndexedTrack, TrackCorpus } from '../../../projections/models/track/document.ts';
import type { TrackCandidates } from '../../../projections/models/track/find-candidates.ts';
import { matchLookupKey, type TitleKeys, titleKeys } from '../../../projections/models/track/lookup-keys.ts';
import { type ArtistKeys, artistKeys } from '../../../projections/models/track/match-key.ts';

/** Confidence that a track is the requested one, by what matched. */
export const CONFIDENCE = { exact: 1, withoutVersion: 0.8, titleOnly: 0.5, none: 0 } as const;

/** The keys that a track is looked up by. */
export interface TrackLookup {
  readonly keys: TitleKeys;
  /** Null if the artist is unknown: only the title is compared. */
  readonly artist: ArtistKeys | null;
  /** The key of the full artist and title comes first. */
  readonly lookupKeys: readonly string[];
}

/** Null if the title has nothing to compare. */
export function trackLookup(artist: string | null, title: string): TrackLookup | null {
  const keys = titleKeys(title);
  if (keys === null) return null;
  const by = artistKeys(artist);
  const lookupKeys = [
    matchLookupKey(keys.full, by?.full ?? null),
    matchLookupKey(keys.base, by?.base ?? null),
  ];
  return { keys, artist: by, lookupKeys: [...new Set(lookupKeys)] };
}

/** The best match, with its document. */
export interface TrackMatch {
  readonly corpus: TrackCorpus;
  readonly track: IndexedTrack;
  readonly document: FoundTracks;
  readonly confidence: number;
}

/** Orders matching tracks; the smallest is the best. */
type MatchOrder = readonly [tier: number, releases: number, document: string];

/**
 * Chooses the best match: first tracks that match in full, then those that match without guests and version; among them
 * tracks with a known length, then those on most releases, then by document key and position. Null if none matches.
 */
export function chooseTrack(
  corpus: TrackCorpus,
  lookup: TrackLookup,
  candidates: TrackCandidates,
): TrackMatch | null {
  let best: { readonly match: TrackMatch; readonly order: MatchOrder } | null = null;
  // A document may be a candidate for both keys.
  for (const document of new Set(lookup.lookupKeys.flatMap((key) => candidates.get(key) ?? []))) {
    for (const track of document.tracks) {
      const kind = matchKind(lookup, track);
      if (kind === null) continue;
      const tier = (kind === 'full' ? 0 : 2) + (hasLength(track) ? 0 : 1);
      const order: MatchOrder = [tier, -(track.releases ?? 0), document.key];
      if (best !== null && !isBefore(order, best.order)) continue;
      best = { match: { corpus, track, document, confidence: confidenceOf(lookup, kind) }, order };
    }
  }
  return best?.match ?? null;
}

function isBefore(a: MatchOrder, b: MatchOrder): boolean {
  if (a[0] !== b[0]) return a[0] < b[0];
  return a[1] === b[1] ? a[2] < b[2] : a[1] < b[1];
}

const hasLength = ({ length_ms }: IndexedTrack): boolean => length_ms !== null && length_ms > 0;

function matchKind({ keys, artist }: TrackLookup, track: IndexedTrack): 'full' | 'base' | null {
  const own = titleKeys(track.title);
  if (own?.full !== keys.full && own?.base !== keys.base) return null;
  const by = artist && artistKeys(track.credit);
  if (own.full === keys.full && by?.full === artist?.full) return 'full';
  return own.base === keys.base && by?.base === artist?.base ? 'base' : null;
}

function confidenceOf({ artist }: TrackLookup, kind: 'full' | 'base'): number {
  if (artist === null) return CONFIDENCE.titleOnly;
  return kind === 'full' ? CONFIDENCE.exact : CONFIDENCE.withoutVersion;
}

/** On equal confidence the storefront wins, because it has the page of the track. */
export const betterOf = (storefront: TrackMatch | null, mb: TrackMatch | null): TrackMatch | null =>
  (mb?.confidence ?? CONFIDENCE.none) > (storefront?.confidence ?? CONFIDENCE.none) ? mb : storefront;
