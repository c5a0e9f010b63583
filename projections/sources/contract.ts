import type { Columns, RowOf } from './columns.ts';

/** What a row is about. Cluster ids of artists, labels and recordings live in keyspaces of their own. */
export type SubjectKind =
  | 'artist'
  | 'label'
  | 'recording'
  | 'catalog-artist'
  | 'catalog-label'
  | 'master'
  | 'festival'
  | 'storefront-item';

/** How often a producer refreshes its table. */
export type Cadence = 'realtime' | 'hourly' | 'daily' | 'weekly' | 'monthly';

/** How much a source's word counts: what it rules over, what it saw, what it worked out. */
type Tier = 'authority' | 'observed' | 'derived';

type Owner =
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

/** How many rows a surface has of one cluster: at most one, several, or one for each other end of an edge. */
export type Grain = 'cluster-row' | 'cluster-multirow' | 'cluster-edge-list';

export interface Surface<Column extends string = string> {
  readonly grain: Grain;
  /** Order of the rows of one subject; the key breaks ties, ascending. */
  readonly order: readonly {
    readonly column: Column;
    readonly direction: 'asc' | 'desc';
  }[];
  /** Name under which the subject's column is served, where it is another. */
  readonly subjectName?: string;
  /** Columns that count wishes: so few that they could be told apart as people are served as 0. */
  readonly wishes?: readonly Column[];
  /** Columns that would tell such a 0 from none at all: null beside it. */
  readonly toldByWishes?: readonly Column[];
}

export interface SubjectColumn<Column extends string = string> {
  readonly kind: SubjectKind;
  /** A scalar column, or a list column where a row is about several. */
  readonly column: Column;
}

/**
 * The contract of one producer table. Decoder, validator, surface reader, provenance, JSON Schema and
 * freshness rule are all derived from this value.
 */
export interface Source<C extends Columns = Columns> {
  /** `schema.table` as the producer names it; its topic is `<TOPIC_PREFIX>.<schema>.<table>`. */
  readonly table: string;
  readonly owner: Owner;
  /** What a row is about: the address under which surfaces and projections read it. */
  readonly subject: SubjectColumn;
  /** Further subjects whose read models a row feeds. */
  readonly feeds: readonly SubjectColumn[];
  /** The producer's primary key, in its order. */
  readonly key: readonly string[];
  /** Present where the table is also served raw. */
  readonly surface: Surface | null;
  readonly cadence: Cadence;
  readonly tier: Tier;
  /** Wire names and types, in the order of the canonical row. */
  readonly columns: C;
}

/** Whether rows of the source are addressed by subjects of the kind. */
export const isAbout = (source: Source, kind: SubjectKind): boolean =>
  source.subject.kind === kind || source.feeds.some((feed) => feed.kind === kind);

/** A row of a source in canonical form: every column is there, null where there is no fact. */
export type Row<S> = S extends Source<infer C> ? RowOf<C> : never;

/** What a declaration must say; column names are checked against the columns it declares. */
interface Declaration<C extends Columns, Column = keyof C & string>
  extends Pick<Source<C>, 'table' | 'owner' | 'cadence' | 'tier' | 'columns'> {
  readonly subject: SubjectColumn<Column & string>;
  readonly feeds?: readonly SubjectColumn<Column & string>[];
  readonly key: readonly Column[];
  readonly surface?: Surface<Column & string>;
}

export function defineSource<const C extends Columns>(declaration: Declaration<C>): Source<C> {
  return {
    ...declaration,
    key: declaration.key as readonly string[],
    feeds: declaration.feeds ?? [],
    surface: declaration.surface ?? null,
  };
}

/** Age in seconds after which a source without change or heartbeat is stale: twice its cadence. */
export const STALE_AFTER_SECONDS: Readonly<Record<Cadence, number>> = {
  realtime: 5 * 60,
  hourly: 2 * 3_600,
  daily: 2 * 86_400,
  weekly: 14 * 86_400,
  monthly: 62 * 86_400,
};
