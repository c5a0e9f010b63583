import type { TObject } from '@sinclair/typebox';
import type { catalogMaster } from '../../contracts/catalog/master.ts';
import type { Columns, RowOf } from '../../contracts/columns.ts';
import { isAbout, type Row, type Source } from '../../contracts/contract.ts';
import { artistIdentityBridge } from '../../contracts/seen/artist-identity-bridge.ts';
import { defineFacet, type Facet, type FacetDeclaration, type FacetRows } from '../../engine/facet.ts';
import { subjectRef } from '../../engine/projection.ts';
import type { MirrorRows, SubjectRef } from '../../engine/rows.ts';

export type ArtistLane = 'catalog' | 'cluster';

/** The subject of an artist dossier. */
export interface ArtistSubject {
  readonly lane: ArtistLane;
  /** Null in the cluster lane, even where a bridge exists. */
  readonly catalogArtistId: number | null;
  /** Null in the catalog lane if no bridge binds the catalogue artist to one cluster. */
  readonly clusterId: string | null;
  /** Path segment of the dossier: its slug, or the cluster id if it has none. */
  readonly key: string;
}

/** The mirror rows of one artist, each source read by the key it needs. */
export class ArtistRows implements FacetRows {
  readonly subject: ArtistSubject;
  readonly #rows: MirrorRows;
  readonly #catalogRef: SubjectRef | null;
  readonly #clusterRef: SubjectRef | null;
  readonly #linked: MirrorRows;

  /** @param linked rows of others, such as the bridges of the clusters that release groups have by artist name */
  constructor(subject: ArtistSubject, rows: MirrorRows, linked: MirrorRows = rows) {
    const { catalogArtistId, clusterId } = subject;
    this.subject = subject;
    this.#rows = rows;
    this.#linked = linked;
    this.#catalogRef = catalogArtistId === null ? null : `catalog-artist:${catalogArtistId}`;
    this.#clusterRef = clusterId === null ? null : `artist:${clusterId}`;
  }

  /** Rows of a source in the order of its keyset, then of its key. */
  all<C extends Columns>(source: Source<C>): readonly RowOf<C>[] {
    return this.#rows.all(source, this.#subjectOf(source));
  }

  one<C extends Columns>(source: Source<C>): RowOf<C> | null {
    return this.#rows.one(source, this.#subjectOf(source));
  }

  changedAt(source: Source): number | null {
    return this.#rows.changedAt(source, this.#subjectOf(source));
  }

  hasDelivered(source: Source): boolean {
    return this.#rows.hasDelivered(source);
  }

  /** The bridge of the cluster that a release group has by artist name. */
  nameBridge({
    artist_cluster_id: cluster,
  }: Row<typeof catalogMaster>): Row<typeof artistIdentityBridge> | null {
    const ref = cluster === null ? null : subjectRef('artist', cluster);
    return this.#linked.one(artistIdentityBridge, ref);
  }

  /** Whether this lane has the key that the source's rows are read by. */
  reaches(source: Source): boolean {
    return this.#subjectOf(source) !== null;
  }

  /** A source about both catalogue artists and clusters (masters) is read by the lane's own key. */
  #subjectOf(source: Source): SubjectRef | null {
    const byCluster = this.#clusterRef !== null && isAbout(source, 'artist');
    const byCatalog =
      this.#catalogRef !== null && isAbout(source, 'catalog-artist') && !isClusterFact(source);
    if (byCatalog && (this.subject.lane === 'catalog' || !byCluster)) return this.#catalogRef;
    return byCluster ? this.#clusterRef : null;
  }
}

/** A bridge row is a fact about its cluster, although it names a catalogue id. */
const isClusterFact = (source: Source): boolean => source.subject.kind === 'artist';

interface ArtistDeclaration<Name extends string, Signals extends TObject>
  extends FacetDeclaration<ArtistRows, Name, Signals> {
  /** The usable sources by lane; a missing lane has none. */
  readonly lanes?: Partial<Record<ArtistLane, readonly Source[]>>;
}

/** A facet of the artist dossier; different sources may feed it in its lanes. */
export function defineArtistFacet<const Name extends string, Signals extends TObject>(
  declaration: ArtistDeclaration<Name, Signals>,
): Facet<ArtistRows, Name> {
  const { lanes, ...rest } = declaration;
  return defineFacet({
    ...rest,
    ...(lanes && { usable: ({ subject }: ArtistRows) => lanes[subject.lane] ?? [] }),
  });
}
