import { boundCluster } from '../artist/lanes.ts';
import type { FacetRows } from '../facet.ts';
import { subjectRef } from '../projection.ts';
import type { MirrorRows, SubjectRef } from '../rows.ts';
import { catalogArtist } from '../sources/catalog/artist.ts';
import { catalogMaster } from '../sources/catalog/master.ts';
import type { Columns, RowOf } from '../sources/columns.ts';
import { isAbout, type Row, type Source } from '../sources/contract.ts';
import { artistIdentityBridge } from '../sources/seen/artist-identity-bridge.ts';

export type Master = Row<typeof catalogMaster>;
type Bridge = Row<typeof artistIdentityBridge>;

/** A catalogue artist that a release group is filed under. */
interface FiledUnder {
  readonly ref: SubjectRef;
  readonly catalogArtistId: number;
  /** Null where the catalogue has no row of the artist. */
  readonly artist: Row<typeof catalogArtist> | null;
  readonly clusterId: string | null;
  /** Of every cluster that names the artist. */
  readonly bridges: readonly Bridge[];
}

/** The mirror rows of one release group: its own, and those of the catalogue artists it is filed under. */
export class MasterRows implements FacetRows {
  readonly master: Master;
  /** In the order of the catalogue, each once. */
  readonly filedUnder: readonly FiledUnder[];
  /** Of the cluster that the catalogue gives the release group by the artist's name. */
  readonly nameBridge: Bridge | null;
  readonly #ref: SubjectRef;
  readonly #masters: MirrorRows;
  readonly #rows: MirrorRows;

  /**
   * @param masters holds the release group
   * @param rows holds all that is read by what the release group says
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
    this.nameBridge = rows.one(artistIdentityBridge, clusterRef(master));
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

/** Everything that the rows about a release group's artists are read by. */
export function artistSubjects(master: Master): SubjectRef[] {
  const cluster = clusterRef(master);
  return [...artistRefs(master).map(([, ref]) => ref), ...(cluster === null ? [] : [cluster])];
}

const artistRefs = (master: Master): [number, SubjectRef][] =>
  [...new Set(master.catalog_artist_ids)].map((id) => [id, subjectRef('catalog-artist', id)]);

const clusterRef = ({ artist_cluster_id: cluster }: Master): SubjectRef | null =>
  cluster === null ? null : subjectRef('artist', cluster);
