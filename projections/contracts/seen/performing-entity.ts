import { date, hex, int, nullable, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const performingEntity = defineSource({
  table: 'seen.performing_entity',
  owner: 'seen',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['cluster_id'],
  surface: { grain: 'cluster-row', order: [] },
  cadence: 'hourly',
  tier: 'observed',
  columns: {
    cluster_id: hex(),
    name: text(),
    slug: text(),
    entity_kind: text(),
    distinct_events: int(),
    distinct_venues: int(),
    first_event_at: nullable(date()),
    last_event_at: nullable(date()),
    country: nullable(text()),
  },
});
