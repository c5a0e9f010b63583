import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox';
import { FacetState } from '../provenance.ts';
import type { MirrorRows, SubjectRef } from '../rows.ts';
import type { Columns, RowOf } from '../sources/columns.ts';
import { isAbout, type Source } from '../sources/contract.ts';
import { orNull } from './values.ts';

export type Lane = 'catalog' | 'cluster';

/** Whom an artist dossier is about. */
export interface ArtistSubject {
  readonly lane: Lane;
  /** Null in the cluster lane, even where a bridge exists. */
  readonly catalogArtistId: number | null;
  /** Null in the catalog lane where no bridge binds the catalogue artist to one cluster. */
  readonly clusterId: string | null;
  /** Path segment under which the dossier answers: its own slug, or the cluster id where it has none. */
  readonly key: string;
}

/** The mirror rows of one artist, read by the key each source needs. */
export class ArtistRows {
  readonly subject: ArtistSubject;
  readonly #rows: MirrorRows;
  readonly #catalogRef: SubjectRef | null;
  readonly #clusterRef: SubjectRef | null;

  constructor(subject: ArtistSubject, rows: MirrorRows) {
    const { catalogArtistId, clusterId } = subject;
    this.subject = subject;
    this.#rows = rows;
    this.#catalogRef = catalogArtistId === null ? null : `catalog-artist:${catalogArtistId}`;
    this.#clusterRef = clusterId === null ? null : `artist:${clusterId}`;
  }

  /** Rows of a source in the order of its keyset, then of its key. */
  all<C extends Columns>(source: Source<C>): readonly RowOf<C>[] {
    return this.#rows.all(source, this.#address(source));
  }

  one<C extends Columns>(source: Source<C>): RowOf<C> | null {
    return this.#rows.one(source, this.#address(source));
  }

  changedAt(source: Source): number | null {
    return this.#rows.changedAt(source, this.#address(source));
  }

  hasDelivered(source: Source): boolean {
    return this.#rows.hasDelivered(source);
  }

  /** Whether this lane has the key that the source's rows are read by. */
  reaches(source: Source): boolean {
    return this.#address(source) !== null;
  }

  /**
   * A source that is about catalogue artists and clusters both (a master) is read by the lane's own key.
   */
  #address(source: Source): SubjectRef | null {
    const byCluster = this.#clusterRef !== null && isAbout(source, 'artist');
    const byCatalog =
      this.#catalogRef !== null && isAbout(source, 'catalog-artist') && !isClusterFact(source);
    if (byCatalog && (this.subject.lane === 'catalog' || !byCluster)) return this.#catalogRef;
    return byCluster ? this.#clusterRef : null;
  }
}

/** A bridge row is a fact about its cluster; that it names a catalogue id does not make it one about that id. */
const isClusterFact = (source: Source): boolean => source.subject.kind === 'artist';

export interface Facet<Name extends string = string> {
  /** Top-level name in the dossier, and in `fields`. */
  readonly name: Name;
  /** Sources in the order of their provenance entries. */
  readonly sources: readonly Source[];
  /** What the facet says, in one sentence for the data dictionary. */
  readonly description: string;
  /** Schema of the whole facet as served. */
  readonly schema: TSchema;
  /** The facet as served, and its state. Pure: the same rows give the same value. */
  build(rows: ArtistRows): FacetValue;
}

export interface FacetValue {
  readonly state: FacetState;
  readonly value: unknown;
}

interface FacetDeclaration<Name extends string, Signals extends TObject> {
  readonly name: Name;
  readonly sources: readonly [Source, ...Source[]];
  readonly description: string;
  readonly signals: Signals;
  /** The member that holds the signals; `breakout` says `signal`. */
  readonly member?: 'signals' | 'signal';
  /**
   * The sources that decide in each lane between present, empty and honest_gap, where the others only add to
   * the facet; a lane left out has nothing to say. Default: all of them in both lanes.
   */
  readonly decidedBy?: Partial<Record<Lane, readonly Source[]>>;
  /** The signals; null where nothing is on file, `honest_gap` where its rows leave the facet unknown. */
  read(rows: ArtistRows): Static<Signals> | null | 'honest_gap';
}

/**
 * A facet of the usual form `{state, signals}`: honest_gap where no deciding source is reached and has ever
 * delivered, empty where `read` finds nothing, else present.
 */
export function defineFacet<const Name extends string, Signals extends TObject>(
  declaration: FacetDeclaration<Name, Signals>,
): Facet<Name> {
  const { name, sources, description } = declaration;
  const member = declaration.member ?? 'signals';
  const decidedBy = declaration.decidedBy ?? {
    catalog: sources,
    cluster: sources,
  };
  return {
    name,
    sources,
    description,
    schema: Type.Object({ state: FacetState, [member]: orNull(declaration.signals) }, { description }),
    build(rows) {
      const state = openState(rows, decidedBy[rows.subject.lane] ?? []);
      const found = state === 'honest_gap' ? state : declaration.read(rows);
      if (found === null || found === 'honest_gap') {
        const without = found ?? state;
        return { state: without, value: { state: without, [member]: null } };
      }
      return { state: 'present', value: { state: 'present', [member]: found } };
    },
  };
}

/** The state of a facet that turns out to have no row: empty where a source could have said something. */
export function openState(rows: ArtistRows, sources: readonly Source[]): 'empty' | 'honest_gap' {
  return sources.some((source) => rows.reaches(source) && rows.hasDelivered(source)) ? 'empty' : 'honest_gap';
}
