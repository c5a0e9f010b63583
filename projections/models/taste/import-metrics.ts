import type { Pool } from 'pg';
import { liveMetrics } from '../../../infra/runtime/live-metrics.ts';
import type { MetricsSource } from '../../../infra/runtime/operations-server.ts';
import { type ImportGroup, readImportBacklog } from './import-backlog.ts';

/** Metrics of pending and failed imports and of failing services. */
export const importMetrics = (pool: Pool): MetricsSource =>
  liveMetrics({
    prefix: 'linernotes_taste',
    up: { name: 'imports_up', help: 'Whether the pending imports could be read from the database.' },
    async collect(gauge) {
      const { imports, services } = await readImportBacklog(pool);
      const count = gauge('imports', 'Unfinished imports.', 'service', 'state', 'failure');
      const wait = gauge('import_wait_seconds', 'Longest time that a due import has waited.', 'service');
      for (const { service, state, failure, imports: number } of imports)
        count.set({ service, state, failure: failure ?? '' }, number);
      for (const [service, seconds] of longestWaits(imports)) wait.set({ service }, seconds);
      const failures = gauge('service_failures', 'Consecutive failed imports.', 'service');
      for (const { service, failures: inRow } of services) failures.set({ service }, inRow);
    },
  });

function longestWaits(groups: readonly ImportGroup[]): Map<string, number> {
  const longest = new Map<string, number>();
  for (const { service, overdueSeconds } of groups) {
    if (overdueSeconds !== null) longest.set(service, Math.max(longest.get(service) ?? 0, overdueSeconds));
  }
  return longest;
}
