import { list, nullable, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const festival = defineSource({
  table: 'seen.festival',
  owner: 'seen',
  subject: { kind: 'festival', column: 'festival_id' },
  key: ['festival_id'],
  cadence: 'weekly',
  tier: 'observed',
  columns: {
    festival_id: text(),
    name: text(),
    slug: text(),
    aliases: list(text()),
    merged_slugs: list(text()),
    country: nullable(text()),
    city: nullable(text()),
    website_url: nullable(text()),
  },
});
