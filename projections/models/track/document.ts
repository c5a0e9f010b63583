/** Where tracks come from: the metadata database or a storefront. */
export type TrackCorpus = 'mb' | 'storefront';

export interface IndexedTrack {
  /** Cluster id of the artist. */
  readonly artist: string;
  /** The artist as credited. */
  readonly credit: string;
  readonly title: string;
  readonly length_ms: number | null;
  /** Metadata database: releases with the recording. */
  readonly releases?: number;
  /** Storefront: the page of the track. */
  readonly url?: string | null;
}

/** All tracks of one recording name, or of one storefront release. */
export interface TrackDocument {
  /** Storefront: title of the release. */
  readonly release?: string | null;
  readonly tracks: readonly IndexedTrack[];
}

/** A document with its key. */
export interface FoundTracks extends TrackDocument {
  readonly key: string;
}

export const parseTracks = (key: string, body: string): FoundTracks => ({
  key,
  ...(JSON.parse(body) as TrackDocument),
});

/** The views of track documents; the views of their lookup keys end in `_address`. */
export const TRACK_VIEW: Readonly<Record<TrackCorpus, string>> = {
  mb: 'read.mb_track',
  storefront: 'read.storefront_track',
};
