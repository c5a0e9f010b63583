import { type Static, Type } from '@sinclair/typebox';
import type { Row } from '../../contracts/contract.ts';
import { storefrontItem } from '../../contracts/storefront/item.ts';
import { storefrontTrack } from '../../contracts/storefront/track.ts';
import type { Dossier } from '../../engine/dossier.ts';
import { ascending, sorted } from '../../engine/order.ts';
import type { FacetState, FieldSource, ProvenanceEntry } from '../../engine/provenance.ts';
import type { MirrorRows, SubjectRef } from '../../engine/rows.ts';
import { orNull } from '../../engine/values.ts';
import { ArtworkItem, storefrontCover } from '../shared/artwork.ts';
import { linkUrl, pageUrl } from '../shared/web-url.ts';
import { Economics, economicsOf } from './economics.ts';

type Item = Row<typeof storefrontItem>;

const StorefrontTrack = Type.Object({
  track_no: Type.Integer(),
  title: Type.String(),
  duration_s: orNull(Type.Integer({ minimum: 0, description: 'Whole seconds.' })),
  track_url: orNull(Type.String({ description: 'A page, never a playable stream.' })),
});
type StorefrontTrack = Static<typeof StorefrontTrack>;

/** A storefront release without its provenance. */
export const Release = Type.Object({
  storefront_item_id: Type.String(),
  cluster_id: Type.String({ description: 'The artist it is filed under: 64 hex digits.' }),
  title: Type.String(),
  release_date: orNull(
    Type.String({ format: 'date-time', description: 'May be of a reissue, or of a pre-order to come.' }),
  ),
  album_url: orNull(Type.String({ description: 'A page.' })),
  tags: Type.Array(Type.String()),
  label: orNull(Type.String()),
  artwork: Type.Array(ArtworkItem),
  tracks: Type.Array(StorefrontTrack),
  price_type: orNull(
    Type.Union([Type.Literal(1), Type.Literal(2)], { description: '1 free, 2 name-your-price or paid.' }),
  ),
  about: orNull(Type.String()),
  credits: orNull(Type.String()),
  economics: Economics,
});
type Release = Static<typeof Release>;

const ENVELOPE = { members: { object: 'storefront.release', present: true }, name: 'release' } as const;

const fields = {
  release: { field: 'release', source: storefrontItem },
  tracks: { field: 'tracks', source: storefrontTrack },
  economics: { field: 'economics', source: storefrontItem },
  artwork: { field: 'artwork', source: storefrontItem },
} satisfies Record<string, FieldSource>;

/** The document of a release; null if the storefront does not list it. */
export function buildRelease(key: SubjectRef, rows: MirrorRows): Dossier | null {
  const item = rows.one(storefrontItem, key);
  if (item === null) return null;
  const release = releaseOf(item, tracksOf(rows.all(storefrontTrack, key)));
  const itemChangedAt = rows.changedAt(storefrontItem, key);
  const fromItem = (of: FieldSource, isPresent: boolean): ProvenanceEntry =>
    isPresent
      ? { of, state: 'present', refreshedAt: itemChangedAt }
      : { of, state: 'empty', refreshedAt: null };
  return {
    within: ENVELOPE,
    members: release,
    provenance: [
      fromItem(fields.release, true),
      {
        of: fields.tracks,
        state: stateOfTracks(release, rows),
        refreshedAt: rows.changedAt(storefrontTrack, key),
      },
      fromItem(fields.economics, hasEconomics(release.economics)),
      fromItem(fields.artwork, release.artwork.length > 0),
    ],
  };
}

const releaseOf = (item: Item, tracks: StorefrontTrack[]): Release => ({
  storefront_item_id: item.item_id,
  cluster_id: item.cluster_id,
  title: item.title,
  release_date: item.release_date,
  album_url: pageUrl(item.album_url),
  tags: item.tags,
  label: item.label,
  artwork: artworkOf(item),
  tracks,
  price_type: item.price_type,
  about: item.about,
  credits: item.credits,
  economics: economicsOf(item),
});

function artworkOf({ artwork_url }: Item): ArtworkItem[] {
  const url = linkUrl(artwork_url);
  return url === null ? [] : [storefrontCover(url, 'release')];
}

function stateOfTracks({ tracks }: Release, rows: MirrorRows): FacetState {
  if (tracks.length > 0) return 'present';
  return rows.hasDelivered(storefrontTrack) ? 'empty' : 'honest_gap';
}

const hasEconomics = ({ upc, formats, scarcity }: Economics): boolean =>
  upc !== null || formats !== null || scarcity !== null;

export const tracksOf = (rows: readonly Row<typeof storefrontTrack>[]): StorefrontTrack[] =>
  sorted(
    rows,
    ascending((row) => row.track_no),
  ).map((row) => ({
    track_no: row.track_no,
    title: row.title,
    duration_s: wholeSeconds(row.duration_ms),
    track_url: pageUrl(row.track_url),
  }));

/** Rounded once, from milliseconds; a negative length is unknown. */
const wholeSeconds = (ms: number | null): number | null =>
  ms === null || ms < 0 ? null : Math.round(ms / 1_000);
