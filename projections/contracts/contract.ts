import type { Columns, RowOf } from './columns.ts';

/** What a row is about. Cluster ids of artists, labels and recordings have separate keyspaces. */
export type SubjectKind =
  | 'artist'
  | 'label'
  | 'recording'
  | 'catalog-artist'
  | 'catalog-entry'
  | 'catalog-label'
  | 'master'
  | 'festival'
  | 'storefront-item';

/** How often a producer refreshes its table. */
export type Cadence = 'realtime' | 'hourly' | 'daily' | 'weekly' | 'monthly';

/** Trust in a source: it decides, it observed, or it derived from others. */
type SourceTier = 'authority' | 'observed' | 'derived';

type SourceOwner =
  | 'archive'
  | 'catalog'
  | 'editorial'
  | 'fleet'
  | 'ledger'
  | 'mb'
  | 'mirror'
  | 'pressings'
  | 'seen'
  | 'spine'
  | 'storefront'
  | 'sync';

/** Debezium's setting `time.precision.mode`: what its counts of time count. */
export type TimePrecisionMode =
  | 'adaptive'
  | 'adaptive_time_microseconds'
  | 'connect'
  | 'isostring'
  | 'microseconds'
  | 'nanoseconds';

/** Rows of a surface per cluster: at most one, several, or one per edge. */
export type Grain = 'cluster-row' | 'cluster-multirow' | 'cluster-edge-list';

export interface Surface<Column extends string = string> {
  readonly grain: Grain;
  /** Order of the rows of one subject; the key breaks ties, ascending. */
  readonly order: readonly {
    readonly column: Column;
    readonly direction: 'asc' | 'desc';
  }[];
  /** Served name of the subject's column, if different. */
  readonly subjectName?: string;
  /** Columns that count wishes; numbers small enough to identify persons are served as 0. */
  readonly wishes?: readonly Column[];
  /** Columns that would reveal whether such a 0 is exact: null next to it. */
  readonly revealsWishes?: readonly Column[];
}

export interface SubjectColumn<Column extends string = string> {
  readonly kind: SubjectKind;
  /** A scalar column, or a list column if a row is about several subjects. */
  readonly column: Column;
}

/**
 * The contract of one producer table. Decoder, validator, surface reader, provenance, JSON Schema and freshness rule derive
 * from this value.
 */
export interface Source<C extends Columns = Columns> {
  /** `schema.table` as the producer names it; its topic is `<TOPIC_PREFIX>.<schema>.<table>`. */
  readonly table: string;
  readonly owner: SourceOwner;
  /** What a row is about; surfaces and projections read it by this subject. */
  readonly subject: SubjectColumn;
  /** Further subjects whose read models depend on a row. */
  readonly alsoAbout: readonly SubjectColumn[];
  /** A second kind of its subject. A projection that reads the source by it is marked for this source's rows alone. */
  readonly markedAs?: SubjectKind;
  /** The producer's primary key, in its order. */
  readonly key: readonly string[];
  /** Null if the table is not served raw. */
  readonly surface: Surface | null;
  readonly cadence: Cadence;
  readonly tier: SourceTier;
  /** The connector's `time.precision.mode`, for messages without a schema; null if the producer did not state it. */
  readonly timePrecisionMode: TimePrecisionMode | null;
  /** Wire names and types, in the order of the canonical row. */
  readonly columns: C;
}

/** Whether rows of the source are read by subjects of the kind. */
export const isAbout = (source: Source, kind: SubjectKind): boolean =>
  source.subject.kind === kind || source.alsoAbout.some((subject) => subject.kind === kind);

/** A row of a source in canonical form: every column is present, null without a value. */
export type Row<S> = S extends Source<infer C> ? RowOf<C> : never;

/** The declaration of a source; column names are checked against its columns. */
interface Declaration<C extends Columns, Column = keyof C & string>
  extends Pick<Source<C>, 'table' | 'owner' | 'cadence' | 'tier' | 'columns' | 'markedAs'> {
  readonly subject: SubjectColumn<Column & string>;
  readonly alsoAbout?: readonly SubjectColumn<Column & string>[];
  readonly key: readonly Column[];
  readonly surface?: Surface<Column & string>;
  readonly timePrecisionMode?: TimePrecisionMode;
}

export function defineSource<const C extends Columns>(declaration: Declaration<C>): Source<C> {
  return {
    ...declaration,
    key: declaration.key as readonly string[],
    alsoAbout: declaration.alsoAbout ?? [],
    surface: declaration.surface ?? null,
    timePrecisionMode: declaration.timePrecisionMode ?? null,
  };
}

/** Age in seconds after which a source without changes or heartbeats is stale: twice its cadence. */
export const STALE_AFTER_SECONDS: Readonly<Record<Cadence, number>> = {
  realtime: 5 * 60,
  hourly: 2 * 3_600,
  daily: 2 * 86_400,
  weekly: 14 * 86_400,
  monthly: 62 * 86_400,
};

/** @throws Error if two contracts declare one table, such as a copied file whose table was not changed */
export function indexByTable(sources: readonly Source[]): ReadonlyMap<string, Source> {
  const byTable = new Map<string, Source>();
  for (const source of sources) {
    const { table, owner } = source;
    const other = byTable.get(table);
    if (other !== undefined)
      throw new Error(
        `the table ${table} has two contracts, of the owners ${other.owner} and ${owner}; ` +
          `to find their files: grep -rn "table: '${table}'" projections/contracts`,
      );
    byTable.set(table, source);
  }
  return byTable;
}
