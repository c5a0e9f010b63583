import { type Static, Type } from '@sinclair/typebox';
import type { Source } from './sources/contract.ts';

export const FacetState = Type.Union([
  Type.Literal('present'),
  Type.Literal('empty'),
  Type.Literal('honest_gap'),
]);
export type FacetState = Static<typeof FacetState>;

/** One entry a facet and source of a dossier. `stale` is known only when the dossier is served. */
export interface ProvenanceEntry {
  readonly source: Source;
  readonly state: FacetState;
  /** Newest change of that source for this subject, milliseconds since 1970. */
  readonly refreshedAt: number | null;
}

export const ProvenanceEntrySchema = Type.Object({
  producer: Type.String(),
  sourceTable: Type.String(),
  refreshCadence: Type.String(),
  tier: Type.String(),
  honestGapState: FacetState,
  refreshedAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  stale: Type.Boolean(),
});

/**
 * A provenance entry as JSON text up to the value of `stale`. Table and owner names are ASCII by contract.
 */
export function provenanceText({ source, state, refreshedAt }: ProvenanceEntry): string {
  const at = refreshedAt === null ? 'null' : `"${isoSecond(refreshedAt)}"`;
  return `{"producer":"${source.owner}","sourceTable":"${source.table}","refreshCadence":"${source.cadence}","tier":"${source.tier}","honestGapState":"${state}","refreshedAt":${at},"stale":`;
}

/** A UTC instant without a fraction, from milliseconds since 1970. */
export const isoSecond = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
