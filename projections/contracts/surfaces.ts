import type { Grain, Source, SubjectKind, Surface } from './contract.ts';
import { sources } from './index.ts';

/** A source that is also served raw. */
export interface SurfaceSource extends Source {
  readonly surface: Surface;
}

const isSurface = (source: Source): source is SurfaceSource => source.surface !== null;

/** Every surface, in the order of the registry. */
export const surfaces: readonly SurfaceSource[] = sources.filter(isSurface);

export const surfaceByName: ReadonlyMap<string, SurfaceSource> = new Map(
  surfaces.map((source) => [source.table, source]),
);

export const KEYSPACES = ['pe-norm-v1-artist', 'pe-norm-v1-recording', 'pe-norm-v1-label'] as const;
export type Keyspace = (typeof KEYSPACES)[number];

const KEYSPACE_OF: Readonly<Partial<Record<SubjectKind, Keyspace>>> = {
  artist: 'pe-norm-v1-artist',
  recording: 'pe-norm-v1-recording',
  label: 'pe-norm-v1-label',
};

/** The keyspace of a surface. @throws if its rows are not about clusters */
export function keyspaceOf({ table, subject }: SurfaceSource): Keyspace {
  const keyspace = KEYSPACE_OF[subject.kind];
  if (keyspace === undefined) throw new Error(`${table} is served raw, but is not about clusters`);
  return keyspace;
}

/** Rows of a cluster per response. */
interface Cap {
  readonly default: number;
  readonly max: number;
}

const ONE_ROW: Cap = { default: 1, max: 1 };
const SEVERAL_ROWS: Cap = { default: 50, max: 200 };

const CAPS: Readonly<Record<Grain, Cap>> = {
  'cluster-row': ONE_ROW,
  'cluster-multirow': SEVERAL_ROWS,
  'cluster-edge-list': SEVERAL_ROWS,
};

export const capOf = ({ surface }: SurfaceSource): Cap => CAPS[surface.grain];

/** Whether a surface has pages; one with a single row per cluster has none. */
export const isPaged = ({ surface }: SurfaceSource): boolean => surface.grain !== 'cluster-row';

interface Keyset {
  /** The order of a cluster's rows, including tie-breakers. */
  readonly order: readonly { readonly column: string; readonly direction: 'asc' | 'desc' }[];
  /** The columns that determine a row's position in that order. */
  readonly seek: readonly string[];
}

/** The paging order of a cluster's rows; null if there is at most one. */
export function keysetOf(source: SurfaceSource): Keyset | null {
  if (!isPaged(source)) return null;
  const declared = source.surface.order;
  const ordered = new Set(declared.map(({ column }) => column));
  const ties = source.key.filter((column) => column !== source.subject.column && !ordered.has(column));
  const order = [...declared, ...ties.map((column) => ({ column, direction: 'asc' as const }))];
  return { order, seek: order.map(({ column }) => column) };
}

/** Served name of a column. */
export const servedName = ({ subject, surface }: SurfaceSource, column: string): string =>
  column === subject.column ? (surface.subjectName ?? column) : column;
