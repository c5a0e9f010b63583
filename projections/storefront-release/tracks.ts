import { type Static, Type } from '@sinclair/typebox';
import { ascending, sorted } from '../order.ts';
import type { Row } from '../sources/contract.ts';
import type { storefrontTrack } from '../sources/storefront/track.ts';
import { orNull } from '../values.ts';
import { pageUrl } from '../web-address.ts';

export const Track = Type.Object({
  track_no: Type.Integer(),
  title: Type.String(),
  duration_s: orNull(Type.Integer({ minimum: 0, description: 'Whole seconds.' })),
  track_url: orNull(Type.String({ description: 'A page, never a playable stream.' })),
});
export type Track = Static<typeof Track>;

export const tracksOf = (rows: readonly Row<typeof storefrontTrack>[]): Track[] =>
  sorted(
    rows,
    ascending((row) => row.track_no),
  ).map((row) => ({
    track_no: row.track_no,
    title: row.title,
    duration_s: wholeSeconds(row.duration_ms),
    track_url: pageUrl(row.track_url),
  }));

/** Rounded once, from milliseconds; a length below zero is not known. */
const wholeSeconds = (ms: number | null): number | null =>
  ms === null || ms < 0 ? null : Math.round(ms / 1_000);
