import { catalogArtist } from '../../contracts/catalog/artist.ts';
import { catalogMaster } from '../../contracts/catalog/master.ts';
import type { Columns, RowOf } from '../../contracts/columns.ts';
import { isAbout, type Row, type Source } from '../../contracts/contract.ts';
import { artistIdentityBridge } from '../../contracts/seen/artist-identity-bridge.ts';
import type { FacetRows } from '../../engine/facet.ts';
import { subjectRef } from '../../engine/projection.ts';
import type { MirrorRows, SubjectRef } from '../../engine/rows.ts';
import { SubjectRows } from '../../engine/subject-rows.ts';
import { boundCluster } from '../artist/lanes.ts';

export type Master = Row<typeof catalogMaster>;
type Bridge = Row<typeof artistIdentityBridge>;

/** A credited catalogue artist of a release group. */
interface FiledUnder {
  readonly ref: SubjectRef;
  readonly catalogArtistId: number;
  /** Null if the catalogue has no row of the artist. */
  readonly artist: Row<typeof catalogArtist> | null;
  readonly clusterId: string | null;
  /** Bridges of all clusters that name the artist. */
  readonly bridges: readonly Bridge[];
}

/** The mirror rows of one release group and of its catalogue artists. */
export class MasterRows implements FacetRows {
  readonly master: Master;
  /** In catalogue order, each once. */
  readonly filedUnder: readonly FiledUnder[];
  /** The bridge of the cluster that the catalogue assigned by artist name. */
  readonly nameBridge: Bridge | null;
  /** The rows about that cluster. */
  readonly ofNameCluster: FacetRows;
  readonly #ref: SubjectRef;
  readonly #masters: MirrorRows;
  readonly #rows: MirrorRows;

  /**
   * @param masters the rows of the release group
   * @param rows the rows that were read for its artists
   */
  constructor(master: Master, masters: MirrorRows, rows: MirrorRows) {
    this.master = master;
    this.#ref = subjectRef('master', master.master_id);
    this.#masters = masters;
    this.#rows = rows;
    this.filedUnder = artistRefs(master).map(([catalogArtistId, ref]) => ({
      ref,
      catalogArtistId,
      artist: rows.one(catalogArtist, ref),
      clusterId: boundCluster(rows, ref),
      bridges: rows.all(artistIdentityBridge, ref),
    }));
    const cluster = clusterRef(master);
    this.nameBridge = rows.one(artistIdentityBridge, cluster);
    this.ofNameCluster = new SubjectRows(rows, cluster === null ? {} : { artist: cluster });
  }

  all<C extends Columns>(source: Source<C>): readonly RowOf<C>[] {
    return this.#refsOf(source).flatMap((ref) => this.#holderOf(source).all(source, ref));
  }

  one<C extends Columns>(source: Source<C>): RowOf<C> | null {
    return this.all(source)[0] ?? null;
  }

  changedAt(source: Source): number | null {
    const times = this.#refsOf(source).flatMap((ref) => this.#holderOf(source).changedAt(source, ref) ?? []);
    return times.length === 0 ? null : Math.max(...times);
  }

  hasDelivered(source: Source): boolean {
    return this.#holderOf(source).hasDelivered(source);
  }

  reaches(source: Source): boolean {
    return this.#refsOf(source).length > 0;
  }

  #holderOf(source: Source): MirrorRows {
    return source.table === catalogMaster.table ? this.#masters : this.#rows;
  }

  #refsOf(source: Source): readonly SubjectRef[] {
    return isAbout(source, 'master') ? [this.#ref] : this.filedUnder.map(({ ref }) => ref);
  }
}

/** The subjects by which rows about the artists of a release group are read. */
export function artistSubjects(master: Master): SubjectRef[] {
  const cluster = clusterRef(master);
  return [...artistRefs(master).map(([, ref]) => ref), ...(cluster === null ? [] : [cluster])];
}

const artistRefs = (master: Master): [number, SubjectRef][] =>
  [...new Set(master.catalog_artist_ids)].map((id) => [id, subjectRef('catalog-artist', id)]);

const clusterRef = ({ artist_cluster_id: cluster }: Master): SubjectRef | null =>
  cluster === null ? null : subjectRef('artist', cluster);
