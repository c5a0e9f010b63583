import type { Pool } from 'pg';
import { transaction } from '../../../db/transaction.ts';
import type { IndexDefinition, Projection } from '../projection.ts';
import { lookupTable, type Version } from './version.ts';

/** The order in which candidates for a lookup key are weighed, so that the first entry is its owner. */
const CANDIDATES: IndexDefinition = '(address, rank, support desc, document)';

/**
 * Creates the missing indexes on the lookup keys of a version that has all its documents: indexing them in one go takes
 * less time and room than key by key. Each index has its own transaction, which keeps transactions short, and concurrent
 * callers wait for each other.
 */
export async function indexLookupKeys(
  pool: Pool,
  version: Version,
  { lookupIndexes = [] }: Pick<Projection, 'lookupIndexes'>,
): Promise<void> {
  const table = lookupTable(version);
  const name = table.slice(table.indexOf('.') + 1);
  for (const [number, definition] of [CANDIDATES, '(document)', ...lookupIndexes].entries()) {
    const kind = definition === CANDIDATES ? 'unique index' : 'index';
    await transaction(pool, async (client) => {
      await client.query(`lock table ${table} in share row exclusive mode`);
      await client.query(`create ${kind} if not exists ${name}_${number} on ${table} ${definition}`);
    });
  }
}
