import { normaliseIsrc } from '../identity/links/normalise-isrc.ts';
import { plainDocument, supportOf } from '../plain-document.ts';
import { type Address, type Document, type Projection, type Read, splitRef } from '../projection.ts';
import type { MirrorRows, SubjectRef } from '../rows.ts';
import { mbRecording } from '../sources/mb/recording.ts';
import { storefrontTrack } from '../sources/storefront/track.ts';
import { isrcAddress, trackAddress } from './addresses.ts';

const reads: readonly Read[] = [
  { source: mbRecording, by: ['recording'] },
  { source: storefrontTrack, by: ['storefront-item'] },
];

/** What the metadata database says comes before what a storefront sells. */
const RANK = { recording: 0, storefrontTrack: 1 } as const;

/** Somebody recorded what an address names. */
interface Claim {
  readonly address: string;
  /** Cluster id. */
  readonly artist: string;
  /** On how many releases the recording is; 0 where that is not counted. */
  readonly releases: number;
}

/**
 * Who performed a recording, addressed by its ISRCs and by artist and title: one document for each recording and one for
 * each storefront release, so that one more recording of an artist leaves all others alone.
 */
export const recordingProjection: Projection = {
  name: 'recording',
  reads,
  keys: ['recording', 'storefront-item'],
  async project(keys, readRows) {
    const rows = await readRows(reads, keys);
    return keys.map((key) => ({ key, document: documentOf(key, rows), touches: [] }));
  },
};

function documentOf(key: SubjectRef, rows: MirrorRows): Document | null {
  const isRecording = splitRef(key).kind === 'recording';
  const claims = isRecording ? recordingClaims(key, rows) : trackClaims(key, rows);
  if (claims.length === 0) return null;
  return plainDocument(
    performersOf(claims),
    addressesOf(claims, isRecording ? RANK.recording : RANK.storefrontTrack),
  );
}

const recordingClaims = (key: SubjectRef, rows: MirrorRows): Claim[] =>
  rows.all(mbRecording, key).flatMap((recording) => {
    const isrcs = recording.isrcs.flatMap((isrc) => normaliseIsrc(isrc) ?? []);
    const track = trackAddress(recording.artist_credit, recording.title);
    const addresses = [...isrcs.map(isrcAddress), ...(track === null ? [] : [track])];
    return addresses.map((address) => ({
      address,
      artist: recording.artist_cluster_id,
      releases: supportOf(recording.release_count),
    }));
  });

const trackClaims = (key: SubjectRef, rows: MirrorRows): Claim[] =>
  rows.all(storefrontTrack, key).flatMap((track) => {
    const address = trackAddress(track.artist_name, track.title);
    return address === null ? [] : [{ address, artist: track.cluster_id, releases: 0 }];
  });

/**
 * For each performer the addresses they have a claim to, and on how many releases; null stands for all addresses of the
 * document, each with its support, which is the rule: only homonyms share a recording's name.
 */
type Performers = Readonly<Record<string, Readonly<Record<string, number>> | null>>;

function performersOf(claims: readonly Claim[]): Performers {
  const byArtist = Map.groupBy(claims, ({ artist }) => artist);
  const artists = [...byArtist].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    artists.map(([artist, own]) => [artist, byArtist.size === 1 ? null : Object.fromEntries(greatest(own))]),
  );
}

const addressesOf = (claims: readonly Claim[], rank: number): Address[] =>
  greatest(claims).map(([address, support]) => ({ address, rank, support }));

/** Each address once, with the greatest number of releases that is claimed under it. */
function greatest(claims: readonly Claim[]): [address: string, releases: number][] {
  const most = new Map<string, number>();
  for (const { address, releases } of claims) most.set(address, Math.max(releases, most.get(address) ?? 0));
  return [...most].sort(([a], [b]) => (a < b ? -1 : 1));
}
