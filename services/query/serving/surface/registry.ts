import { dictionaryPath } from '../../../../projections/semantics/dictionary.ts';
import { semanticsOf } from '../../../../projections/semantics/index.ts';
import {
  capOf,
  keysetOf,
  keyspaceOf,
  type SurfaceSource,
  surfaces,
} from '../../../../projections/sources/surfaces.ts';
import type { SurfaceRow } from '../../schemas/surface.ts';
import { coverageNote } from './coverage-note.ts';
import { rowWriter } from './row-text.ts';

/** What the registry says of a surface for as long as the process runs. */
type DeclaredRow = Omit<SurfaceRow, 'enabled' | 'liveness'>;

export interface DeclaredSurface {
  readonly source: SurfaceSource;
  readonly row: DeclaredRow;
  /** The text of a row as it is served, from the text that is stored. */
  readonly write: (stored: string) => string;
}

/** Every surface and what its contract declares of it, in the order of the registry. */
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
