import { type Static, Type } from '@sinclair/typebox';
import { ArtworkItem, storefrontCover } from '../artwork.ts';
import type { Dossier } from '../dossier.ts';
import type { FacetState } from '../provenance.ts';
import type { MirrorRows, SubjectRef } from '../rows.ts';
import type { Row } from '../sources/contract.ts';
import { storefrontItem } from '../sources/storefront/item.ts';
import { storefrontTrack } from '../sources/storefront/track.ts';
import { orNull } from '../values.ts';
import { pageUrl, webAddress } from '../web-address.ts';
import { Economics, economicsOf } from './economics.ts';
import { Track, tracksOf } from './tracks.ts';

type Item = Row<typeof storefrontItem>;

/** A storefront release up to its provenance. */
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
  tracks: Type.Array(Track),
  price_type: orNull(
    Type.Union([Type.Literal(1), Type.Literal(2)], { description: '1 free, 2 name-your-price or paid.' }),
  ),
  about: orNull(Type.String()),
  credits: orNull(Type.String()),
  economics: Economics,
});
type Release = Static<typeof Release>;

const ENVELOPE = { members: { object: 'storefront.release', present: true }, name: 'release' } as const;

/** The answer about the release of `key`; null where the storefront lists none. */
export function buildRelease(key: SubjectRef, rows: MirrorRows): Dossier | null {
  const item = rows.one(storefrontItem, key);
  if (item === null) return null;
  const release = releaseOf(item, tracksOf(rows.all(storefrontTrack, key)));
  const itemChangedAt = rows.changedAt(storefrontItem, key);
  const fromItem = (isPresent: boolean) => ({
    source: storefrontItem,
    state: isPresent ? ('present' as const) : ('empty' as const),
    refreshedAt: itemChangedAt,
  });
  return {
    within: ENVELOPE,
    members: release,
    provenance: [
      fromItem(true),
      {
        source: storefrontTrack,
        state: stateOfTracks(release, rows),
        refreshedAt: rows.changedAt(storefrontTrack, key),
      },
      fromItem(isTelling(release.economics)),
      fromItem(release.artwork.length > 0),
    ],
  };
}

const releaseOf = (item: Item, tracks: Track[]): Release => ({
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
  const url = webAddress(artwork_url);
  return url === null ? [] : [storefrontCover(url, 'release')];
}

function stateOfTracks({ tracks }: Release, rows: MirrorRows): FacetState {
  if (tracks.length > 0) return 'present';
  return rows.hasDelivered(storefrontTrack) ? 'empty' : 'honest_gap';
}

const isTelling = ({ upc, formats, scarcity }: Economics): boolean =>
  upc !== null || formats !== null || scarcity !== null;
