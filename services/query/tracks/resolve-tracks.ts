import { type Static, Type } from '@sinclair/typebox';
import type { Pool } from 'pg';
import { splitRef } from '../../../projections/engine/projection.ts';
import type { SubjectRef } from '../../../projections/engine/rows.ts';
import { orNull } from '../../../projections/engine/values.ts';
import type { TrackCorpus } from '../../../projections/models/track/document.ts';
import { findCandidates } from '../../../projections/models/track/find-candidates.ts';
import { FailedRead, type SoftRead } from '../../http/soft-read.ts';
import {
  betterOf,
  CONFIDENCE,
  chooseTrack,
  type TrackLookup,
  type TrackMatch,
  trackLookup,
} from './choose-track.ts';
import { Source, State } from './schema.ts';

export const WANTS = ['duration', 'fingerprint'] as const;
export type Want = (typeof WANTS)[number];

export const TracksResolveResults = Type.Object({
  state: State,
  results: Type.Array(
    Type.Object({
      query_index: Type.Integer({ description: 'Index in tracks, from 0.' }),
      matched: Type.Boolean({ description: 'false is a gap in coverage, not an error.' }),
      confidence: Type.Number({
        minimum: 0,
        maximum: 1,
        description: `${CONFIDENCE.exact}: artist and title; ${CONFIDENCE.withoutVersion}: without guests and version; ${CONFIDENCE.titleOnly}: the title alone; ${CONFIDENCE.none}: not matched.`,
      }),
      artist: orNull(
        Type.String({ description: 'The artist as credited on the track found, else as requested.' }),
      ),
      title: Type.String({ description: 'The requested title.' }),
      release_title: orNull(Type.String({ description: 'Storefront only.' })),
      storefront_item_id: orNull(Type.String({ description: 'Storefront only.' })),
      track_url: orNull(Type.String({ description: 'Storefront only: a page, never a playable stream.' })),
      duration_s: orNull(Type.Integer({ description: 'Whole seconds; null if unknown or not requested.' })),
      source: orNull(Source),
      fingerprint: Type.Null({ description: 'Always null: no fingerprints are stored.' }),
    }),
    { description: 'One result per track, in the same order.' },
  ),
  unsupported: Type.Array(Type.Object({ want: Type.String(), reason: Type.String() }), {
    description: 'Requested data that is not available, with the reason.',
  }),
});
export type TracksResolveResults = Static<typeof TracksResolveResults>;

/** A track of the request. */
interface RequestedTrack {
  readonly artist?: string | null;
  readonly title: string;
}

type Result = TracksResolveResults['results'][number];

type ResolveTracks = (
  tracks: readonly RequestedTrack[],
  want: readonly Want[] | undefined,
) => Promise<TracksResolveResults>;

const DEFAULT_WANT: readonly Want[] = ['duration'];
const NO_FINGERPRINTS = {
  want: 'fingerprint',
  reason: 'No fingerprints are stored.',
} as const;

/** Makes a function that finds the lengths of tracks by artist and title, with one statement per corpus. */
export function trackResolver(pool: Pool, softly: SoftRead): ResolveTracks {
  return async (tracks, want = DEFAULT_WANT) => {
    const lookups = tracks.map(({ artist = null, title }) => trackLookup(artist, title));
    const lookupKeys = {
      storefront: lookups.flatMap((lookup) => lookup?.lookupKeys ?? []),
      // The metadata database has too many tracks of one title to choose one without an artist.
      mb: lookups.flatMap((lookup) => (lookup !== null && isNamed(lookup) ? lookup.lookupKeys : [])),
    };
    const read = async (corpus: TrackCorpus) => {
      const found = await softly(() => findCandidates(pool, corpus, lookupKeys[corpus]));
      return found instanceof FailedRead ? null : found;
    };
    const [storefront, mb] = await Promise.all([read('storefront'), read('mb')]);
    const isNothingRead = storefront === null && (mb === null || lookupKeys.mb.length === 0);
    const results = (isNothingRead ? [] : tracks).map((track, index) => {
      const lookup = lookups[index] ?? null;
      const match =
        lookup &&
        betterOf(
          storefront && chooseTrack('storefront', lookup, storefront),
          mb && isNamed(lookup) ? chooseTrack('mb', lookup, mb) : null,
        );
      return resultOf({ index, track, match, want });
    });
    return {
      state: storefront === null || mb === null ? 'degraded' : 'ok',
      results,
      unsupported: want.includes('fingerprint') ? [NO_FINGERPRINTS] : [],
    };
  };
}

const isNamed = ({ artist }: TrackLookup): boolean => artist !== null;

interface ResultInput {
  readonly index: number;
  readonly track: RequestedTrack;
  readonly match: TrackMatch | null;
  readonly want: readonly Want[];
}

function resultOf({ index, track: { artist = null, title }, match, want }: ResultInput): Result {
  const isSold = match?.corpus === 'storefront';
  return {
    query_index: index,
    matched: match !== null,
    confidence: match?.confidence ?? CONFIDENCE.none,
    artist: match === null ? artist : match.track.credit.trim() || null,
    title,
    release_title: isSold ? (match.document.release ?? null) : null,
    storefront_item_id: isSold ? splitRef(match.document.key as SubjectRef).value : null,
    track_url: isSold ? (match.track.url ?? null) : null,
    duration_s: match !== null && want.includes('duration') ? wholeSeconds(match.track.length_ms) : null,
    source: match?.corpus ?? null,
    fingerprint: null,
  };
}

/** Null if the length is unknown; zero and negative lengths mean unknown too. */
const wholeSeconds = (ms: number | null): number | null =>
  ms === null || ms <= 0 ? null : Math.round(ms / 1_000);
