import { type Static, Type } from '@sinclair/typebox';
import type { Source } from './sources/contract.ts';

export const FacetState = Type.Union(
  [Type.Literal('present'), Type.Literal('empty'), Type.Literal('honest_gap')],
  {
    description:
      'State of the facet: present, empty where nothing is on file, or honest_gap where the service cannot see it.',
  },
);
export type FacetState = Static<typeof FacetState>;

/** One entry a facet and source of a dossier. `stale` is known only when the dossier is served. */
export interface ProvenanceEntry {
  readonly source: Source;
  readonly state: FacetState;
  /** Newest change of that source for this subject, milliseconds since 1970. */
  readonly refreshedAt: number | null;
}

export const ProvenanceEntrySchema = Type.Object(
  {
    producer: Type.String({ description: 'Who owns the source.' }),
    sourceTable: Type.String({ description: 'Producer table that feeds the facet.' }),
    refreshCadence: Type.String({ description: 'How often the producer refreshes it.' }),
    tier: Type.String({
      description: 'How much the word of the source counts: authority, observed or derived.',
    }),
    honestGapState: FacetState,
    refreshedAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description:
        'Instant of the newest change of the source for this entity, in UTC; null where it has no row.',
    }),
    stale: Type.Boolean({ description: 'Whether the source has been silent for too long.' }),
  },
  { description: 'One facet and one of its sources.' },
);

/** What an entry of a source says before its state; it never changes. */
const openings = new WeakMap<Source, string>();

function openingOf(source: Source): string {
  let opening = openings.get(source);
  if (opening === undefined) {
    opening = `{"producer":"${source.owner}","sourceTable":"${source.table}","refreshCadence":"${source.cadence}","tier":"${source.tier}","honestGapState":"`;
    openings.set(source, opening);
  }
  return opening;
}

/**
 * A provenance entry as JSON text up to the value of `stale`. Table and owner names are ASCII by contract.
 */
export function provenanceText({ source, state, refreshedAt }: ProvenanceEntry): string {
  const at = refreshedAt === null ? 'null' : `"${isoSecond(refreshedAt)}"`;
  return `${openingOf(source)}${state}","refreshedAt":${at},"stale":`;
}

let lastSecond = Number.NaN;
let lastText = '';

/** A UTC instant without a fraction, from milliseconds since 1970. */
export function isoSecond(ms: number): string {
  const second = Math.floor(ms / 1000);
  // Sources of one artist are often refreshed together.
  if (second !== lastSecond) {
    lastText = `${new Date(second * 1000).toISOString().slice(0, 19)}Z`;
    lastSecond = second;
  }
  return lastText;
}
