import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox';
import { FacetState, type ProvenanceEntry } from './provenance.ts';
import type { Columns, RowOf } from './sources/columns.ts';
import type { Source } from './sources/contract.ts';
import { orNull } from './values.ts';

/** The mirror rows of one entity, by source. */
export interface FacetRows {
  /** Rows of a source in the order of its keyset, then of its key. */
  all<C extends Columns>(source: Source<C>): readonly RowOf<C>[];
  one<C extends Columns>(source: Source<C>): RowOf<C> | null;
  /** When the newest row of the source for this entity changed, in milliseconds since 1970; null without rows. */
  changedAt(source: Source): number | null;
  hasDelivered(source: Source): boolean;
  /** Whether the entity has the key that the source's rows are read by. */
  reaches(source: Source): boolean;
}

/** One part of a dossier, made from the rows of its sources. */
export interface Facet<Rows extends FacetRows = FacetRows, Name extends string = string> {
  /** Top-level name in the dossier. */
  readonly name: Name;
  /** Sources in the order of their provenance entries. */
  readonly sources: readonly Source[];
  /** What the facet says, in one sentence for the data dictionary. */
  readonly description: string;
  /** Schema of the whole facet as served. */
  readonly schema: TSchema;
  /** The facet as served, and its state. Pure: the same rows give the same value. */
  build(rows: Rows): FacetValue;
}

export interface FacetValue {
  readonly state: FacetState;
  readonly value: unknown;
}

export interface FacetDeclaration<Rows extends FacetRows, Name extends string, Signals extends TObject> {
  readonly name: Name;
  readonly sources: readonly [Source, ...Source[]];
  readonly description: string;
  readonly signals: Signals;
  /** The member that holds the signals; `breakout` says `signal`. */
  readonly member?: 'signals' | 'signal';
  /**
   * The sources that decide between present, empty and honest_gap, where the others only add to the facet.
   * Default: all of them.
   */
  readonly decidedBy?: (rows: Rows) => readonly Source[];
  /** The signals; null where nothing is on file, `honest_gap` where its rows leave the facet unknown. */
  read(rows: Rows): Static<Signals> | null | 'honest_gap';
}

/**
 * A facet of the usual form `{state, signals}`: honest_gap where no deciding source is reached and has ever
 * delivered, empty where `read` finds nothing, else present.
 */
export function defineFacet<Rows extends FacetRows, const Name extends string, Signals extends TObject>(
  declaration: FacetDeclaration<Rows, Name, Signals>,
): Facet<Rows, Name> {
  const { name, sources, description } = declaration;
  const member = declaration.member ?? 'signals';
  const decidedBy = declaration.decidedBy ?? (() => sources);
  return {
    name,
    sources,
    description,
    schema: Type.Object({ state: FacetState, [member]: orNull(declaration.signals) }, { description }),
    build(rows) {
      const state = openState(rows, decidedBy(rows));
      const found = state === 'honest_gap' ? state : declaration.read(rows);
      if (found === null || found === 'honest_gap') {
        const without = found ?? state;
        return { state: without, value: { state: without, [member]: null } };
      }
      return { state: 'present', value: { state: 'present', [member]: found } };
    },
  };
}

/** Names the source of a field in its schema, for the data dictionary; the rest of a facet comes from its first source. */
export const fedBy = <T extends TSchema>(source: Source, schema: T): T => ({
  ...schema,
  'x-source-table': source.table,
});

/** The state of a facet that turns out to have no row: empty where a source could have said something. */
export function openState(rows: FacetRows, sources: readonly Source[]): 'empty' | 'honest_gap' {
  return sources.some((source) => rows.reaches(source) && rows.hasDelivered(source)) ? 'empty' : 'honest_gap';
}

/** All facets of an entity by name, and where they come from: one entry a facet and source. */
export function buildFacets<Rows extends FacetRows>(
  facets: readonly Facet<Rows>[],
  rows: Rows,
): { readonly values: Record<string, unknown>; readonly provenance: ProvenanceEntry[] } {
  const values: Record<string, unknown> = {};
  const provenance: ProvenanceEntry[] = [];
  for (const facet of facets) {
    const { state, value } = facet.build(rows);
    values[facet.name] = value;
    for (const source of facet.sources) {
      provenance.push({ source, state, refreshedAt: rows.changedAt(source) });
    }
  }
  return { values, provenance };
}
