import fc from 'fast-check';
import type { Source } from '../../../projections/contracts/contract.ts';

/** Rows of a source, over few keys and values, so that histories meet on them. */
export type HistoryRows = readonly [Source, fc.Arbitrary<Record<string, unknown>>];

const CLUSTERS = ['1', '2', '3'].map((digit) => digit.repeat(64));
export const cluster = fc.constantFrom(...CLUSTERS);
export const catalogId = fc.constantFrom(11, 12);
export const day = fc.constantFrom('2018-01-31', '2019-06-30', '2020-02-29');
export const word = fc.constantFrom('Aphex', 'aphex', 'Ünder', 'The The', '!!!');
export const small = fc.integer({ min: 0, max: 6 });

/** A page on a site, the same in another spelling, a website, and a page without an owner. */
export const page = fc.constantFrom(
  'https://mono.bandcamp.com',
  'http://MONO.bandcamp.com/album/a?from=b',
  'https://mono.example',
  'https://mono.example/news',
  'not a link',
);
