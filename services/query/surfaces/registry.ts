import {
  capOf,
  keysetOf,
  keyspaceOf,
  type SurfaceSource,
  surfaces,
} from '../../../projections/contracts/surfaces.ts';
import { dictionaryPath } from '../../../projections/models/semantics/dictionary.ts';
import { semanticsOf } from '../../../projections/models/semantics/index.ts';
import { coverageNote } from './liveness.ts';
import { rowWriter } from './row-text.ts';
import type { SurfaceRow } from './schema.ts';

/** The members of a registry row that never change while the process runs. */
type DeclaredRow = Omit<SurfaceRow, 'enabled' | 'liveness'>;

export interface DeclaredSurface {
  readonly source: SurfaceSource;
  readonly row: DeclaredRow;
  /** Converts the stored text of a row into the served text. */
  readonly write: (stored: string) => string;
}

/** Every surface with the declarations of its contract, in the order of the registry. */
export const declaredSurfaces: readonly DeclaredSurface[] = surfaces.map((source) => ({
  source,
  row: declaredRow(source),
  write: rowWriter(source),
}));

function declaredRow(source: SurfaceSource): DeclaredRow {
  const keyset = keysetOf(source);
  return {
    name: source.table,
    owner_repo: source.owner,
    grain: source.surface.grain,
    key: { type: 'bytes', keyspace: keyspaceOf(source), wire: 'hex64' },
    keyset: keyset === null ? null : { order: [...keyset.order], seek: [...keyset.seek] },
    cap: capOf(source),
    coverage_note: coverageNote(source),
    semantics: semanticsOf(source.table),
    dictionary: dictionaryPath(source.table),
  };
}

export const declaredByName: ReadonlyMap<string, DeclaredSurface> = new Map(
  declaredSurfaces.map((surface) => [surface.row.name, surface]),
);
