import type { ClientBase, Pool } from 'pg';

/**
 * Of how generations are made and written. Code reads only those of its own format, so it goes up with whatever changes
 * what is stored, or how a text is split into words.
 */
export const FORMAT = 1;

/** An index of all release groups as they were at one moment, which never changes. */
export interface Generation {
  readonly id: number;
  /** The version of the search projection whose documents it was made of. */
  readonly version: number;
  /** What its documents were read by, as text: changes that it does not show came later. */
  readonly snapshot: string;
  readonly takenAt: Date;
  readonly documents: number;
  readonly exactBits: number;
}

/** The documents that a generation is made of, named as every version's are, without what else a version is made by. */
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

/** The kind under which buckets of hashes stand among the lists. */
export const EXACT = 'exact';

const COLUMNS = `id, version, snapshot::text as snapshot, taken_at as "takenAt", documents, exact_bits as "exactBits"`;

/** The generation that is to be searched; null where there is none of this format. */
export async function newestGeneration(db: ClientBase | Pool): Promise<Generation | null> {
  const { rows } = await db.query<Generation>({
    name: 'newest-generation',
    text: `select ${COLUMNS} from search.generation
           where state = 'ready' and format = $1 order by id desc limit 1`,
    values: [FORMAT],
  });
  return rows[0] ?? null;
}
