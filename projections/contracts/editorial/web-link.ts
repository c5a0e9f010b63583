import { hex, nullable, num, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const editorialWebLink = defineSource({
  table: 'editorial.web_link',
  owner: 'editorial',
  subject: { kind: 'artist', column: 'cluster_id' },
  key: ['link_id'],
  cadence: 'weekly',
  tier: 'observed',
  columns: {
    link_id: text(),
    cluster_id: hex(),
    source: text(),
    source_subtype: nullable(text()),
    url: text(),
    title: nullable(text()),
    description: nullable(text()),
    confidence: nullable(num()),
  },
});
