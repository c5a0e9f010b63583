import type { Columns, RowOf } from '../contracts/columns.ts';
import type { Source, SubjectKind } from '../contracts/contract.ts';

/** A subject of any kind as `kind:value`. */
export type SubjectRef = `${SubjectKind}:${string}`;

/** One mirror row as a projection sees it. */
export interface MirrorRow {
  readonly row: unknown;
  /** When the producer last changed its content, in milliseconds since 1970. */
  readonly changedAt: number;
}

/** The rows of each subject, by table. */
export type RowsBySubject = ReadonlyMap<SubjectRef, ReadonlyMap<string, readonly MirrorRow[]>>;

const NONE: readonly MirrorRow[] = [];

/**
 * The mirror rows from which a batch of documents is projected, read in set queries. Rows of one source and subject are
 * ordered by the source's keyset, then by key.
 */
export class MirrorRows {
  readonly #rows: RowsBySubject;
  readonly #delivered: ReadonlySet<string>;

  /** @param delivered tables that have ever delivered a row */
  constructor(rows: RowsBySubject, delivered: ReadonlySet<string>) {
    this.#rows = rows;
    this.#delivered = delivered;
  }

  all<C extends Columns>(source: Source<C>, subject: SubjectRef | null): readonly RowOf<C>[] {
    return this.#of(source, subject).map((entry) => entry.row as RowOf<C>);
  }

  /** The row of a source that has one row a subject. */
  one<C extends Columns>(source: Source<C>, subject: SubjectRef | null): RowOf<C> | null {
    return (this.#of(source, subject)[0]?.row as RowOf<C> | undefined) ?? null;
  }

  /** When the newest row of the source for this subject changed; null without rows. */
  changedAt(source: Source, subject: SubjectRef | null): number | null {
    let newest: number | null = null;
    for (const { changedAt } of this.#of(source, subject)) {
      if (newest === null || changedAt > newest) newest = changedAt;
    }
    return newest;
  }

  hasDelivered(source: Source): boolean {
    return this.#delivered.has(source.table);
  }

  /** These rows and later ones of other subjects. */
  and(later: MirrorRows): MirrorRows {
    return new MirrorRows(new Map([...this.#rows, ...later.#rows]), later.#delivered);
  }

  /** These rows as they would be if a source had no value of a column. */
  without({ table }: Source, column: string): MirrorRows {
    const rows = new Map(
      [...this.#rows].map(([subject, byTable]) => {
        const own = byTable.get(table) ?? NONE;
        const cleared = own.map(({ row, changedAt }) => ({
          row: { ...(row as object), [column]: null },
          changedAt,
        }));
        return [subject, new Map(byTable).set(table, cleared)];
      }),
    );
    return new MirrorRows(rows, this.#delivered);
  }

  #of(source: Source, subject: SubjectRef | null): readonly MirrorRow[] {
    if (subject === null) return [];
    return this.#rows.get(subject)?.get(source.table) ?? NONE;
  }
}

/** The rows of a subject that no source has. */
export const NO_ROWS = new MirrorRows(new Map(), new Set());
