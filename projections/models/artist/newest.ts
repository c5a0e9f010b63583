import { artistPressMentions } from '../../contracts/archive/artist-press-mentions.ts';
import type { Row } from '../../contracts/contract.ts';
import { storefrontItem } from '../../contracts/storefront/item.ts';
import { ascending, descending, sorted } from '../../engine/order.ts';
import type { ArtistRows } from './facet.ts';

export const newestMentions = (rows: ArtistRows): Row<typeof artistPressMentions>[] =>
  sorted(
    rows.all(artistPressMentions),
    descending((mention) => mention.published_at),
    ascending((mention) => mention.mention_id),
  );

/** Newest release first, releases without a date last. */
export const newestStorefrontItems = (rows: ArtistRows): Row<typeof storefrontItem>[] =>
  sorted(
    rows.all(storefrontItem),
    descending((item) => item.release_date),
    ascending((item) => item.item_id),
  );
