import { type Static, Type } from '@sinclair/typebox';
import type { Row } from '../../contracts/contract.ts';
import type { storefrontItem } from '../../contracts/storefront/item.ts';
import { floorWishes, orNull } from '../../engine/values.ts';
import { withoutAudio } from '../shared/web-url.ts';

type Item = Row<typeof storefrontItem>;

const Share = Type.Number({ minimum: 0, maximum: 1 });

const Scarcity = Type.Object({
  limited_edition: orNull(Type.Boolean()),
  smallest_edition_size: orNull(Type.Integer()),
  units_remaining: orNull(Type.Integer()),
  sell_through: orNull({
    ...Share,
    description: 'Sold share of the smallest edition; null if its size or the remaining units are unknown.',
  }),
  low_stock: orNull(Type.Boolean()),
  scarcity_score: orNull(Share),
  distinct_wishers: orNull(Type.Integer({ minimum: 0, description: 'Fewer than 5 are reported as 0.' })),
  pressure_index: orNull(
    Type.Number({
      minimum: 0,
      description: 'scarcity_score x ln(1 + wishes), where fewer than 5 wishes count as 0.',
    }),
  ),
});
type Scarcity = Static<typeof Scarcity>;

export const Economics = Type.Object({
  upc: orNull(Type.String({ description: 'Text, because leading zeros matter.' })),
  formats: Type.Unknown({
    description:
      'Physical formats and editions as the storefront gives them, without links to audio; or null.',
  }),
  scarcity: orNull(Scarcity),
});
export type Economics = Static<typeof Economics>;

export const economicsOf = (item: Item): Economics => ({
  upc: item.upc,
  formats: withoutAudio(item.formats),
  scarcity: scarcityOf(item),
});

/** Null without any data about the supply. */
function scarcityOf(item: Item): Scarcity | null {
  const score = shareOf(item.scarcity_score);
  const supply = [
    item.limited_edition,
    item.smallest_edition_size,
    item.units_remaining,
    item.low_stock,
    score,
  ];
  if (supply.every((signal) => signal === null)) return null;
  return {
    limited_edition: item.limited_edition,
    smallest_edition_size: item.smallest_edition_size,
    units_remaining: item.units_remaining,
    sell_through: sellThrough(item.smallest_edition_size, item.units_remaining),
    low_stock: item.low_stock,
    scarcity_score: score,
    distinct_wishers: floorWishes(item.distinct_wishers),
    pressure_index: pressureIndex(score, floorWishes(item.wishlist_demand)),
  };
}

/** A score outside 0 to 1 counts as unknown. */
const shareOf = (score: number | null): number | null =>
  score !== null && score >= 0 && score <= 1 ? score : null;

function sellThrough(size: number | null, remaining: number | null): number | null {
  if (size === null || size <= 0 || remaining === null) return null;
  return Math.min(1, Math.max(0, (size - remaining) / size));
}

/** @param wishes after the floor; the exact number could be computed from the index and the score */
const pressureIndex = (score: number | null, wishes: number | null): number | null =>
  score === null || wishes === null ? null : score * Math.log(1 + wishes);
