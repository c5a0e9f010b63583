import type { Pool } from 'pg';
import { transaction } from '../../db/transaction.ts';
import { nearNameIndex } from '../identity/near-names.ts';
import { titleIndexes } from '../track/title-index.ts';
import { addressTable, type Version } from './version.ts';

/** What follows the table in the SQL that makes an index. */
export type IndexDefinition = string;

/** In the order in which claims to an address are weighed, so that the first entry is its owner. */
const CLAIMS: IndexDefinition = '(address, rank, support desc, document)';

/** Further indexes on the addresses of a projection. */
const FURTHER: Readonly<Record<string, readonly IndexDefinition[]>> = {
  identity: [nearNameIndex],
  'mb-track': titleIndexes('mb'),
  'storefront-track': titleIndexes('storefront'),
};

/**
 * Indexes what the documents of a version are found by, where that is not done: all at once it takes less time, and the
 * indexes less room, than address by address. Each index is made by itself, so that no transaction lasts longer than
 * it must, and by one session at a time.
 */
export async function indexAddresses(pool: Pool, version: Version): Promise<void> {
  const table = addressTable(version);
  const name = table.slice(table.indexOf('.') + 1);
  const definitions = [CLAIMS, '(document)', ...(FURTHER[version.projection] ?? [])];
  for (const [number, definition] of definitions.entries()) {
    const kind = definition === CLAIMS ? 'unique index' : 'index';
    await transaction(pool, async (client) => {
      await client.query(`lock table ${table} in share row exclusive mode`);
      await client.query(`create ${kind} if not exists ${name}_${number} on ${table} ${definition}`);
    });
  }
}
