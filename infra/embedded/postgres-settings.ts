import { totalmem } from 'node:os';

/** By name, as in postgresql.conf. */
export type PostgresSettings = Readonly<Record<string, string>>;

const MEGABYTE = 1024 * 1024;

/**
 * The most that PostgreSQL's manual finds useful, for what is served is read at random: four tenths of the memory, but no
 * more than the read models have use for. Only what is read takes it up.
 */
export function sharedBuffers(memoryBytes: number): string {
  const megabytes = Math.floor((memoryBytes * 0.4) / MEGABYTE);
  return `${Math.min(Math.max(megabytes, 128), 16_384)}MB`;
}

/** What this process may use: a container's share, where it runs in one. */
const memory = (): number => Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());

export const SERVICE_SETTINGS: PostgresSettings = {
  listen_addresses: '127.0.0.1',
  max_connections: '60',
  shared_buffers: sharedBuffers(memory()),
  // Below this, bitmap scans turn lossy and search is several times slower.
  work_mem: '64MB',
  maintenance_work_mem: '256MB',
  max_wal_size: '4GB',
  wal_compression: 'on',
  jit: 'off',
  // A statement that fails is its caller's to report; here it would only fill the disk.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

/** For data that is thrown away: nothing waits for the disk. */
export const THROWAWAY_SETTINGS: PostgresSettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  shared_buffers: '128MB',
};
