import { bool, date, int, nullable, text } from '../columns.ts';
import { defineSource } from '../contract.ts';

export const festivalEdition = defineSource({
  table: 'seen.festival_edition',
  owner: 'seen',
  subject: { kind: 'festival', column: 'festival_id' },
  key: ['edition_id'],
  cadence: 'weekly',
  tier: 'observed',
  columns: {
    edition_id: text(),
    festival_id: text(),
    year: int(),
    title: nullable(text()),
    starts_on: nullable(date()),
    ends_on: nullable(date()),
    venue: nullable(text()),
    city: nullable(text()),
    country: nullable(text()),
    cancelled: bool(),
  },
});
