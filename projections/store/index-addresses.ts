import type { Pool } from 'pg';
import { transaction } from '../../db/transaction.ts';
import { nearNameIndex } from '../identity/near-names.ts';
import { titleIndexes } from '../track/title-index.ts';
import { addressTable, type Version } from './version.ts';

/** Indexes on the addresses of a projection beside those that all have. */
const FURTHER_INDEX: Readonly<Record<string, (table: string) => string>> = {
  identity: nearNameIndex,
  'mb-track': titleIndexes('mb'),
  'storefront-track': titleIndexes('storefront'),
};

/**
 * Indexes what the documents of a version are found by, where that is not done: all at once it takes less time, and the
 * indexes less room, than address by address.
 */
export async function indexAddresses(pool: Pool, version: Version): Promise<void> {
  const table = addressTable(version);
  await transaction(pool, async (client) => {
    const { rows } = await client.query('select from pg_index where indrelid = $1::regclass', [table]);
    if (rows.length > 0) return;
    await client.query(`
      -- In the order in which claims to an address are weighed, so that the first entry is its owner.
      create unique index on ${table} (address, rank, support desc, document);
      create index on ${table} (document);
      ${FURTHER_INDEX[version.projection]?.(table) ?? ''}`);
  });
}
