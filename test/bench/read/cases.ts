import type { HttpLoad } from '../processes/load-generator.ts';

/** A kind of request, and what share of its ceiling the service is to reach. */
export interface ReadCase {
  readonly name: string;
  readonly by: HttpLoad['by'];
  readonly isGzip: boolean;
  /** Whether the client has the answer already and asks only if it changed. */
  readonly isConditional: boolean;
  readonly least: number;
}

export const readCases: readonly ReadCase[] = [
  { name: 'by cluster id, gzip', by: 'cluster', isGzip: true, isConditional: false, least: 0.4 },
  { name: 'by slug, gzip', by: 'slug', isGzip: true, isConditional: false, least: 0.35 },
  { name: 'by cluster id, plain', by: 'cluster', isGzip: false, isConditional: false, least: 0.2 },
  { name: 'by cluster id, 304', by: 'cluster', isGzip: true, isConditional: true, least: 0.5 },
];
