import type { ClientBase, Pool } from 'pg';

/**
 * Format of stored generations. Code reads only generations of its own format: raise it when the stored data or the
 * splitting of words changes.
 */
export const FORMAT = 1;

/** An immutable index of all release groups at one moment. */
export interface Generation {
  readonly id: number;
  /** The version of the search projection it was built from. */
  readonly version: number;
  /** The PostgreSQL snapshot its documents were read in, as text; changes not visible in it are newer. */
  readonly snapshot: string;
  readonly takenAt: Date;
  readonly documents: number;
  readonly exactBits: number;
}

/** The document table of a version, without importing how versions are created. */
export const searchDocuments = (version: number): string => `read.search_${version}`;

/** Release groups by rank: `(rank, body)`, the body as the projection has it. */
export const rowTable = (generation: number): string => `search.row_${generation}`;
/** Lists of ranks: `(kind, term, anywhere, in_title)`. */
export const postingTable = (generation: number): string => `search.posting_${generation}`;
/** Facet values by number: `(id, facet, value, folded, documents)`. */
export const valueTable = (generation: number): string => `search.value_${generation}`;
/** Columns in parts: `(name, part, bytes)`. */
export const columnTable = (generation: number): string => `search.column_${generation}`;

export const generationTables = (generation: number): string[] =>
  [rowTable, postingTable, valueTable, columnTable].map((table) => table(generation));

/** The kind of a posting row that holds a bucket of whole-text hashes. */
export const EXACT = 'exact';

const COLUMNS = `id, version, snapshot::text as snapshot, taken_at as "takenAt", documents, exact_bits as "exactBits"`;

/** The generation to search; null if none has the format. */
export async function newestGeneration(
  db: ClientBase | Pool,
  format: number = FORMAT,
): Promise<Generation | null> {
  const { rows } = await db.query<Generation>({
    name: 'newest-generation',
    text: `select ${COLUMNS} from search.generation
           where state = 'ready' and format = $1 order by id desc limit 1`,
    values: [format],
  });
  return rows[0] ?? null;
}
