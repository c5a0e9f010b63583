import { sourceByTable } from '../../projections/contracts/index.ts';
import { producerTable } from './producer-table.ts';

/** Keys of one and several columns and of all types, lists, JSON, days and instants. */
const NAMES = [
  'catalog.master',
  'seen.artist_momentum',
  'seen.performing_entity',
  'seen.radio_play_v1',
  'seen.dj_champion',
  'seen.festival',
  'mb.recording',
  'storefront.track',
  'seen.live_demand',
];

/** The producer's tables. */
export const tables = NAMES.map((name, index) => {
  const source = sourceByTable.get(name);
  if (source === undefined) throw new Error(`no contract of ${name}`);
  return producerTable(source, index);
});
