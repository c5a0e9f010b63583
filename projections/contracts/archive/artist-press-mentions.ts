import { hex, nullable, oneOf, text, ts } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const artistPressMentions = defineSource({
  table: 'archive_api_v1.artist_press_mentions',
  owner: 'archive',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['mention_id'],
  surface: {
    grain: 'cluster-multirow',
    order: [{ column: 'published_at', direction: 'desc' }],
  },
  cadence: 'hourly',
  tier: 'observed',
  columns: {
    cluster_id: hex(),
    mention_id: text(),
    outlet: text(),
    title: text(),
    url: text(),
    kind: oneOf('press', 'review', 'interview', 'feature', 'mention'),
    published_at: ts(),
    source_repo: nullable(text()),
  },
});
