import { type Static, Type } from '@sinclair/typebox';
import type { Source } from '../contracts/contract.ts';

export const FacetState = Type.Union(
  [Type.Literal('present'), Type.Literal('empty'), Type.Literal('honest_gap')],
  {
    description:
      'State of the facet: present, empty where nothing is on file, or honest_gap where the service cannot see it.',
  },
);
export type FacetState = Static<typeof FacetState>;

/** A source and what it feeds: a facet, or one member of it as `facet.member`. One object each, so that its text is built once. */
export interface FieldSource {
  readonly field: string;
  readonly source: Source;
}

/** One entry a field and source of a dossier. `stale` is known only when the dossier is served. */
export interface ProvenanceEntry {
  readonly of: FieldSource;
  /** Of that source for that field. */
  readonly state: FacetState;
  /** Newest change of that source for this subject, milliseconds since 1970; null exactly where the state is not present. */
  readonly refreshedAt: number | null;
  /** What the value alone would leave unexplained, in one sentence. */
  readonly note?: string | undefined;
}

export const ProvenanceEntrySchema = Type.Object(
  {
    field: Type.String({
      description:
        'What the source feeds: a facet, or facet.member where sources of a facet differ by member.',
    }),
    producer: Type.String({ description: 'Owner of the source.' }),
    sourceTable: Type.String({ description: 'Producer table that feeds the field.' }),
    refreshCadence: Type.String({ description: 'How often the producer refreshes it.' }),
    tier: Type.String({
      description: 'Trust in the source: authority, observed or derived.',
    }),
    honestGapState: {
      ...FacetState,
      description:
        'State of the source for the field: present, empty if it has no row of the entity, or honest_gap if it never delivered or cannot be read for the entity.',
    },
    refreshedAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description:
        'Instant of the newest change of the source for this entity, in UTC; null unless the state is present.',
    }),
    stale: Type.Boolean({
      description:
        'Whether the source has been silent for too long, or its rows keep the last values of a dropped column.',
    }),
  },
  { description: 'One field and one of its sources.' },
);

/** The entries of dossiers that explain values. */
export const NotedProvenanceEntrySchema = Type.Object(
  {
    ...ProvenanceEntrySchema.properties,
    note: Type.Optional(
      Type.String({ description: 'Explains a value of the field that seems to contradict another one.' }),
    ),
  },
  { description: ProvenanceEntrySchema.description ?? '' },
);

/** The text of an entry before its state, which is constant for a field and source. */
const openings = new WeakMap<FieldSource, string>();

function openingOf(of: FieldSource): string {
  let opening = openings.get(of);
  if (opening === undefined) {
    const { owner, table, cadence, tier } = of.source;
    opening = `{"field":"${of.field}","producer":"${owner}","sourceTable":"${table}","refreshCadence":"${cadence}","tier":"${tier}","honestGapState":"`;
    openings.set(of, opening);
  }
  return opening;
}

/**
 * A provenance entry as JSON text up to the value of `stale`. Names of fields, tables and owners are ASCII.
 */
export function provenanceText({ of, state, refreshedAt, note }: ProvenanceEntry): string {
  const at = refreshedAt === null ? 'null' : `"${isoSecond(refreshedAt)}"`;
  const explained = note === undefined ? '' : `,"note":${JSON.stringify(note)}`;
  return `${openingOf(of)}${state}","refreshedAt":${at}${explained},"stale":`;
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
