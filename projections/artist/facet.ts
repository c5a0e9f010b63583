import type { TObject } from '@sinclair/typebox';
import { defineFacet, type Facet, type FacetDeclaration, type FacetRows } from '../facet.ts';
import type { MirrorRows, SubjectRef } from '../rows.ts';
import type { Columns, RowOf } from '../sources/columns.ts';
import { isAbout, type Source } from '../sources/contract.ts';

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
export class ArtistRows implements FacetRows {
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

interface ArtistDeclaration<Name extends string, Signals extends TObject>
  extends Omit<FacetDeclaration<ArtistRows, Name, Signals>, 'decidedBy'> {
  /** By lane; a lane left out has nothing to say. Default: all sources in both lanes. */
  readonly decidedBy?: Partial<Record<Lane, readonly Source[]>>;
}

/** A facet of the artist dossier, whose lanes may be decided by different sources. */
export function defineArtistFacet<const Name extends string, Signals extends TObject>(
  declaration: ArtistDeclaration<Name, Signals>,
): Facet<ArtistRows, Name> {
  const { decidedBy, ...rest } = declaration;
  return defineFacet({
    ...rest,
    ...(decidedBy && { decidedBy: ({ subject }: ArtistRows) => decidedBy[subject.lane] ?? [] }),
  });
}
