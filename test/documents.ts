import type { Pool } from 'pg';
import { addressTable, documentTable, type Version } from '../projections/store/version.ts';

/** Every document and address of a version, as text that can be compared. */
export async function documentsOf(pool: Pool, version: Version) {
  const documents = await pool.query(
    `select key, encode(hash, 'hex') as hash, encode(body, 'hex') as body from ${documentTable(version)} order by key`,
  );
  const addresses = await pool.query(
    `select address, rank, support, key from ${addressTable(version)} order by address, rank, key`,
  );
  return { documents: documents.rows, addresses: addresses.rows };
}
