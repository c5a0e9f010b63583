import { totalmem } from 'node:os';

/** Values by name, as in postgresql.conf. */
export type PostgresSettings = Readonly<Record<string, string>>;

const MEGABYTE = 1024 * 1024;

/**
 * 40 % of the memory, the most that PostgreSQL's manual recommends, because documents are read at random; at most what
 * the read models need. PostgreSQL occupies it only as data is read.
 */
export function sharedBuffers(memoryBytes: number): string {
  const megabytes = Math.floor((memoryBytes * 0.4) / MEGABYTE);
  return `${Math.min(Math.max(megabytes, 128), 16_384)}MB`;
}

/** The memory of the container, or of the machine. */
const memory = (): number => Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());

export const SERVICE_SETTINGS: PostgresSettings = {
  listen_addresses: '127.0.0.1',
  max_connections: '60',
  shared_buffers: sharedBuffers(memory()),
  // With less, bitmap scans become lossy and search is several times slower.
  work_mem: '64MB',
  maintenance_work_mem: '256MB',
  max_wal_size: '4GB',
  wal_compression: 'on',
  jit: 'off',
  // Callers report failed statements. Logging them here too would only fill the disk.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
};
