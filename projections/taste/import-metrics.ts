import type { Pool } from 'pg';
import { metricsOfNow } from '../observe/metrics-of-now.ts';
import type { MetricsSource } from '../observe/operations-server.ts';
import { type ImportGroup, readImportBacklog } from './import-backlog.ts';

/** What waits to be imported, what has failed and which services do. */
export const importMetrics = (pool: Pool): MetricsSource =>
  metricsOfNow({
    prefix: 'linernotes_taste',
    up: { name: 'imports_up', help: 'Whether the database told what waits to be imported.' },
    async tell(gauge) {
      const { imports, services } = await readImportBacklog(pool);
      const count = gauge('imports', 'Imports that are not done.', 'service', 'state', 'failure');
      const wait = gauge(
        'import_wait_seconds',
        'Time that the import which could go on for longest has waited.',
        'service',
      );
      for (const { service, state, failure, imports: number } of imports)
        count.set({ service, state, failure: failure ?? '' }, number);
      for (const [service, seconds] of longestWaits(imports)) wait.set({ service }, seconds);
      const failures = gauge('service_failures', 'Imports that failed one after another.', 'service');
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
