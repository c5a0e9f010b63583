import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { splitRef } from '../../../../projections/projection.ts';
import type { SubjectRef } from '../../../../projections/rows.ts';
import type { Corpus } from '../../../../projections/track/document.ts';
import { findClaims } from '../../../../projections/track/find-claims.ts';
import { CONFIDENCE, type TracksResolveResults, type Want } from '../../schemas/tracks.ts';
import { betterOf, type Chosen, chooseTrack, type TrackLookup, trackLookup } from './choose-track.ts';
import { corpusReader } from './read-corpus.ts';

/** A track that is asked for. */
interface AskedTrack {
  readonly artist?: string | null;
  readonly title: string;
}

type Result = TracksResolveResults['results'][number];

type ResolveTracks = (
  tracks: readonly AskedTrack[],
  want: readonly Want[] | undefined,
) => Promise<TracksResolveResults>;

const DEFAULT_WANT: readonly Want[] = ['duration'];
const NO_FINGERPRINTS = {
  want: 'fingerprint',
  reason: 'No fingerprints are stored, so that none can be answered.',
} as const;

/** Makes what finds the lengths of tracks by artist and title: one statement a corpus, however many are asked for. */
export function trackResolver(pool: Pool, log: Logger): ResolveTracks {
  const readCorpus = corpusReader(log);
  return async (tracks, want = DEFAULT_WANT) => {
    const lookups = tracks.map(({ artist = null, title }) => trackLookup(artist, title));
    const addresses = {
      storefront: lookups.flatMap((lookup) => lookup?.addresses ?? []),
      // The metadata database has too many tracks of a title for one without an artist to be told among them.
      mb: lookups.flatMap((lookup) => (lookup !== null && isNamed(lookup) ? lookup.addresses : [])),
    };
    const read = (corpus: Corpus) => readCorpus(() => findClaims(pool, corpus, addresses[corpus]));
    const [storefront, mb] = await Promise.all([read('storefront'), read('mb')]);
    const isNothingRead = storefront === null && (mb === null || addresses.mb.length === 0);
    const results = (isNothingRead ? [] : tracks).map((track, index) => {
      const lookup = lookups[index] ?? null;
      const chosen =
        lookup &&
        betterOf(
          storefront && chooseTrack('storefront', lookup, storefront),
          mb && isNamed(lookup) ? chooseTrack('mb', lookup, mb) : null,
        );
      return resultOf(index, track, chosen, want);
    });
    return {
      state: storefront === null || mb === null ? 'degraded' : 'ok',
      results,
      unsupported: want.includes('fingerprint') ? [NO_FINGERPRINTS] : [],
    };
  };
}

const isNamed = ({ artist }: TrackLookup): boolean => artist !== null;

function resultOf(
  query_index: number,
  { artist = null, title }: AskedTrack,
  chosen: Chosen | null,
  want: readonly Want[],
): Result {
  const isSold = chosen?.corpus === 'storefront';
  return {
    query_index,
    matched: chosen !== null,
    confidence: chosen?.confidence ?? CONFIDENCE.none,
    artist: chosen === null ? artist : chosen.track.credit.trim() || null,
    title,
    release_title: isSold ? (chosen.document.release ?? null) : null,
    storefront_item_id: isSold ? splitRef(chosen.document.key as SubjectRef).value : null,
    track_url: isSold ? (chosen.track.url ?? null) : null,
    duration_s: chosen !== null && want.includes('duration') ? wholeSeconds(chosen.track.length_ms) : null,
    source: chosen?.corpus ?? null,
    fingerprint: null,
  };
}

/** Rounded once, from milliseconds; null where the length is not known, which nothing and less than nothing say too. */
const wholeSeconds = (ms: number | null): number | null =>
  ms === null || ms <= 0 ? null : Math.round(ms / 1_000);
