import { Type } from '@sinclair/typebox';

/** Path of an artist's dossier, or of something under it. */
export const artistPath = (...segments: readonly [string, ...string[]]): string =>
  `/api/v2/artist/${segments.map(encodeURIComponent).join('/')}`;

/** The other path of the same dossier. @param key slug or cluster id */
export const artistDossierPath = (key: string): string => `/api/v2/dossier/artist/${encodeURIComponent(key)}`;

export const ArtistLink = Type.Object(
  { artist: Type.String({ description: "Path of the other artist's dossier." }) },
  { description: 'Onward paths.' },
);

/** Path of a label's dossier. */
export const labelPath = (key: string): string => `/api/v2/label/${encodeURIComponent(key)}`;
