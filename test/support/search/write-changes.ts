import type { Pool } from 'pg';
import { transaction } from '../../../db/transaction.ts';
import { plainDocument } from '../../../projections/engine/plain-document.ts';
import { withId, writeDocuments } from '../../../projections/engine/store/write-documents.ts';
import type { SearchDocument } from '../../../projections/models/search/document.ts';
import { servedVersion } from '../projections/served-version.ts';

/** A release group as it is to be; null if it is gone. */
export interface Change {
  readonly id: number;
  readonly document: SearchDocument | null;
}

/** Writes documents of the search as a projector does; all others stay. */
export async function writeChanges(pool: Pool, changes: readonly Change[]): Promise<void> {
  const version = await servedVersion(pool, 'search');
  await transaction(pool, (client) =>
    writeDocuments(
      client,
      version,
      changes.map(({ id, document }) =>
        withId({
          key: `master:${id}`,
          document: document === null ? null : plainDocument(document, []),
          dependents: [],
        }),
      ),
    ),
  );
}

export const changesTo = (all: readonly SearchDocument[]): Change[] =>
  all.map((document) => ({ id: document.row.master_id, document }));
