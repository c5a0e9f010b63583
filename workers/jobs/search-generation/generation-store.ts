import type { PoolClient } from 'pg';
import type { Version } from '../../../projections/engine/store/version.ts';
import type { SearchDocument } from '../../../projections/models/search/document.ts';

/** A generation that is being built, and all documents of its snapshot. */
export interface GenerationSource {
  readonly id: number;
  readonly version: Version;
  readonly documents: AsyncGenerator<readonly SearchDocument[]>;
  readonly signal: AbortSignal | undefined;
}

export interface WrittenGeneration {
  readonly documents: number;
  readonly exactBits: number;
  /** Completes the generation after the transaction of the snapshot. */
  finish(): Promise<void>;
}

/** Where the generations of the search index are: in tables of the database, or in a search cluster. */
export interface GenerationStore {
  /** The format of its generations; no two stores share one. */
  readonly format: number;
  /** Whether changes are written into the newest generation, which then need not be replaced because of them. */
  readonly takesChanges: boolean;
  /** Makes room for a generation, outside of any transaction. */
  prepare(client: PoolClient, id: number): Promise<void>;
  /** Reads and indexes all documents, in the transaction of their snapshot. */
  write(client: PoolClient, source: GenerationSource): Promise<WrittenGeneration>;
  /** Directs searches to a published generation. */
  serve(client: PoolClient, id: number): Promise<void>;
  /** Whether a published generation is still complete. */
  holds(id: number): Promise<boolean>;
  /** Removes the remains of generations other than these. */
  keepOnly(ids: readonly number[]): Promise<void>;
}
