import { mbRecording } from '../../contracts/mb/recording.ts';
import { storefrontTrack } from '../../contracts/storefront/track.ts';
import { plainDocument, supportOf } from '../../engine/plain-document.ts';
import {
  type Document,
  type LookupKey,
  type Projection,
  type Read,
  splitRef,
} from '../../engine/projection.ts';
import type { MirrorRows, SubjectRef } from '../../engine/rows.ts';
import { isrcKey, trackKey } from './lookup-keys.ts';
import { normaliseIsrc } from './normalise-isrc.ts';

const reads: readonly Read[] = [
  { source: mbRecording, by: ['recording'] },
  { source: storefrontTrack, by: ['storefront-item'] },
];

/** The metadata database takes precedence over a storefront. */
const RANK = { recording: 0, storefrontTrack: 1 } as const;

/** An artist's credit for the recordings of a lookup key. */
interface RecordingCredit {
  readonly lookupKey: string;
  /** Cluster id. */
  readonly artist: string;
  /** Releases with the recording; 0 if not counted. */
  readonly releases: number;
}

/**
 * The performer of a recording, looked up by ISRC or by artist and title. One document per recording name and one per
 * storefront release, so a new recording of an artist changes no other document.
 */
export const recordingProjection: Projection = {
  name: 'recording',
  version: 1,
  reads,
  keys: ['recording', 'storefront-item'],
  async project(keys, readRows) {
    const rows = await readRows(reads, keys);
    return keys.map((key) => ({ key, document: documentOf(key, rows), dependents: [] }));
  },
};

function documentOf(key: SubjectRef, rows: MirrorRows): Document | null {
  const isRecording = splitRef(key).kind === 'recording';
  const credits = isRecording ? recordingCredits(key, rows) : trackCredits(key, rows);
  if (credits.length === 0) return null;
  return plainDocument(
    performersOf(credits),
    lookupKeysOf(credits, isRecording ? RANK.recording : RANK.storefrontTrack),
  );
}

const recordingCredits = (key: SubjectRef, rows: MirrorRows): RecordingCredit[] =>
  rows.all(mbRecording, key).flatMap((recording) => {
    const isrcs = recording.isrcs.flatMap((isrc) => normaliseIsrc(isrc) ?? []);
    const track = trackKey(recording.artist_credit, recording.title);
    const lookupKeys = [...isrcs.map(isrcKey), ...(track === null ? [] : [track])];
    return lookupKeys.map((lookupKey) => ({
      lookupKey,
      artist: recording.artist_cluster_id,
      releases: supportOf(recording.release_count),
    }));
  });

const trackCredits = (key: SubjectRef, rows: MirrorRows): RecordingCredit[] =>
  rows.all(storefrontTrack, key).flatMap((track) => {
    const lookupKey = trackKey(track.artist_name, track.title);
    return lookupKey === null ? [] : [{ lookupKey, artist: track.cluster_id, releases: 0 }];
  });

/**
 * For each performer the number of releases by lookup key. Null, the usual case, means all lookup keys of the document with
 * their support: only homonyms share the name of a recording.
 */
type Performers = Readonly<Record<string, Readonly<Record<string, number>> | null>>;

function performersOf(credits: readonly RecordingCredit[]): Performers {
  const byArtist = Map.groupBy(credits, ({ artist }) => artist);
  const artists = [...byArtist].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    artists.map(([artist, own]) => [
      artist,
      byArtist.size === 1 ? null : Object.fromEntries(maxReleases(own)),
    ]),
  );
}

const lookupKeysOf = (credits: readonly RecordingCredit[], rank: number): LookupKey[] =>
  maxReleases(credits).map(([value, support]) => ({ value, rank, support }));

/** Each lookup key once, with its greatest number of releases. */
function maxReleases(credits: readonly RecordingCredit[]): [lookupKey: string, releases: number][] {
  const max = new Map<string, number>();
  for (const { lookupKey, releases } of credits)
    max.set(lookupKey, Math.max(releases, max.get(lookupKey) ?? 0));
  return [...max].sort(([a], [b]) => (a < b ? -1 : 1));
}
