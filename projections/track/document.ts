/** Where tracks are known from: the metadata database, or a storefront. */
export type Corpus = 'mb' | 'storefront';

export interface Track {
  /** Cluster id of the artist. */
  readonly artist: string;
  /** The artist as credited. */
  readonly credit: string;
  readonly title: string;
  readonly length_ms: number | null;
  /** Metadata database: on how many releases the recording is. */
  readonly releases?: number;
  /** Storefront: the page of the track. */
  readonly url?: string | null;
}

/** All tracks of one recording's name, or of one storefront release. */
export interface TrackDocument {
  /** Storefront: title of the release. */
  readonly release?: string | null;
  readonly tracks: readonly Track[];
}

/** A document as it was found. */
export interface FoundTracks extends TrackDocument {
  readonly key: string;
}

export const parseTracks = (key: string, body: string): FoundTracks => ({
  key,
  ...(JSON.parse(body) as TrackDocument),
});

/** The views that tracks are read from; those of their addresses end in `_address`. */
export const TRACK_VIEW: Readonly<Record<Corpus, string>> = {
  mb: 'read.mb_track',
  storefront: 'read.storefront_track',
};
