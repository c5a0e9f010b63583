import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox';
import type { Columns, RowOf } from '../contracts/columns.ts';
import type { Source } from '../contracts/contract.ts';
import { FacetState, type FieldSource, type ProvenanceEntry } from './provenance.ts';
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
  /** The content of the facet, in one sentence for the data dictionary. */
  readonly description: string;
  /** Schema of the whole facet as served. It names the members that a source alone feeds (`fromSource`, `alsoFrom`). */
  readonly schema: TSchema;
  /** The sources that can feed the facet of this entity; the others are an honest gap. Default: all. */
  usable?(rows: Rows): readonly Source[];
  /** The rows that the facet is made of, if not the entity's own. */
  rowsOf?(rows: Rows): FacetRows;
  /** The facet as served, and its state. Pure: the same rows give the same value. */
  build(rows: Rows): FacetValue;
}

export interface FacetValue {
  readonly state: FacetState;
  readonly value: unknown;
  /** Explains the value in the provenance of the facet. */
  readonly note?: string | undefined;
}

export interface FacetDeclaration<Rows extends FacetRows, Name extends string, Signals extends TObject> {
  readonly name: Name;
  readonly sources: readonly [Source, ...Source[]];
  readonly description: string;
  readonly signals: Signals;
  /** The member that holds the signals; in `breakout` it is `signal`. */
  readonly member?: 'signals' | 'signal';
  /** The sources that decide between empty and honest_gap; the others only add to the facet. Default: the usable ones. */
  readonly decidedBy?: readonly Source[];
  /** As of the facet. */
  usable?(rows: Rows): readonly Source[];
  /** The signals; null if nothing is on file, `honest_gap` if the rows leave the facet unknown. */
  read(rows: Rows): Static<Signals> | null | 'honest_gap';
}

/**
 * A facet of the usual form `{state, signals}`: `honest_gap` if no deciding source is reached and has ever delivered,
 * `empty` if `read` finds nothing, else `present`.
 */
export function defineFacet<Rows extends FacetRows, const Name extends string, Signals extends TObject>(
  declaration: FacetDeclaration<Rows, Name, Signals>,
): Facet<Rows, Name> {
  const { name, sources, description } = declaration;
  const member = declaration.member ?? 'signals';
  const usable = (rows: Rows): readonly Source[] => declaration.usable?.(rows) ?? sources;
  return {
    name,
    sources,
    description,
    usable,
    schema: Type.Object({ state: FacetState, [member]: orNull(declaration.signals) }, { description }),
    build(rows) {
      const state = openState(rows, declaration.decidedBy ?? usable(rows));
      const found = state === 'honest_gap' ? state : declaration.read(rows);
      if (found === null || found === 'honest_gap') {
        const without = found ?? state;
        return { state: without, value: { state: without, [member]: null } };
      }
      return { state: 'present', value: { state: 'present', [member]: found } };
    },
  };
}

/** Names the source of a field in its schema, for data dictionary and provenance; the rest of a facet comes from its first source. */
export const fromSource = <T extends TSchema>(source: Source, schema: T): T => ({
  ...schema,
  'x-source-table': source.table,
});

/** Names a source that feeds only this field of the facet, and feeds it for some entities only. */
export const alsoFrom = <T extends TSchema>(source: Source, schema: T): T => ({
  ...schema,
  'x-further-source-table': source.table,
});

/** The state of a facet without rows: `empty` if a source that could have had one has delivered. */
export function openState(rows: FacetRows, sources: readonly Source[]): 'empty' | 'honest_gap' {
  return sources.some((source) => rows.reaches(source) && rows.hasDelivered(source)) ? 'empty' : 'honest_gap';
}

type Fed = Pick<Facet, 'name' | 'schema' | 'sources'>;

const fieldSources = new WeakMap<Fed, readonly FieldSource[]>();

/** The fields of a facet by source. A source that the schema names for members feeds only those. */
function fieldSourcesOf(facet: Fed): readonly FieldSource[] {
  const known = fieldSources.get(facet);
  if (known !== undefined) return known;
  const members = Object.entries(membersOf(facet.schema));
  const found = facet.sources.flatMap((source): FieldSource[] => {
    const own = members.filter(([, member]) => tablesIn(member).includes(source.table));
    const fields = own.map(([member]) => `${facet.name}.${member}`);
    return (fields.length === 0 ? [facet.name] : fields).map((field) => ({ field, source }));
  });
  fieldSources.set(facet, found);
  return found;
}

/** The members of a facet or, if it has them, of its signals. */
function membersOf(schema: TSchema): Readonly<Record<string, TSchema>> {
  const parts: TSchema[] = [schema, ...(schema.anyOf ?? [])];
  const members: Record<string, TSchema> = Object.assign({}, ...parts.map(({ properties }) => properties));
  const signals = members.signals ?? members.signal;
  return signals === undefined ? members : membersOf(signals);
}

/** The tables that a schema names, at any depth. */
const tablesIn = (schema: TSchema): string[] => [
  ...[schema['x-source-table'], schema['x-further-source-table']].filter((table) => table !== undefined),
  ...[
    ...(schema.anyOf ?? []),
    ...(schema.items === undefined ? [] : [schema.items]),
    ...Object.values<TSchema>(schema.properties ?? {}),
  ].flatMap(tablesIn),
];

/** All facets of an entity by name, and their provenance: one entry per field and source. */
export function buildFacets<Rows extends FacetRows>(
  facets: readonly Facet<Rows>[],
  rows: Rows,
): { readonly values: Record<string, unknown>; readonly provenance: ProvenanceEntry[] } {
  const values: Record<string, unknown> = {};
  const provenance: ProvenanceEntry[] = [];
  for (const facet of facets) {
    const { value, note } = facet.build(rows);
    values[facet.name] = value;
    const own = facet.rowsOf?.(rows) ?? rows;
    const usable = facet.usable?.(rows) ?? facet.sources;
    for (const of of fieldSourcesOf(facet)) {
      const { source } = of;
      const refreshedAt = usable.includes(source) ? own.changedAt(source) : null;
      const state =
        refreshedAt === null ? openState(own, usable.includes(source) ? [source] : []) : 'present';
      provenance.push({ of, state, refreshedAt, note });
    }
  }
  return { values, provenance };
}
