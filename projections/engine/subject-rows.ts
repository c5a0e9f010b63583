import type { Columns, RowOf } from '../contracts/columns.ts';
import type { Source, SubjectKind } from '../contracts/contract.ts';
import type { FacetRows } from './facet.ts';
import type { MirrorRows, SubjectRef } from './rows.ts';

/** The mirror rows of an entity with at most one subject of each kind; a source is read by its own kind. */
export class SubjectRows implements FacetRows {
  readonly #rows: MirrorRows;
  readonly #refs: Readonly<Partial<Record<SubjectKind, SubjectRef>>>;

  constructor(rows: MirrorRows, refs: Readonly<Partial<Record<SubjectKind, SubjectRef>>>) {
    this.#rows = rows;
    this.#refs = refs;
  }

  all<C extends Columns>(source: Source<C>): readonly RowOf<C>[] {
    return this.#rows.all(source, this.#refOf(source));
  }

  one<C extends Columns>(source: Source<C>): RowOf<C> | null {
    return this.#rows.one(source, this.#refOf(source));
  }

  changedAt(source: Source): number | null {
    return this.#rows.changedAt(source, this.#refOf(source));
  }

  hasDelivered(source: Source): boolean {
    return this.#rows.hasDelivered(source);
  }

  reaches(source: Source): boolean {
    return this.#refOf(source) !== null;
  }

  #refOf(source: Source): SubjectRef | null {
    return this.#refs[source.subject.kind] ?? null;
  }
}
