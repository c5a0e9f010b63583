import type { Pool } from 'pg';
import { Gauge, Registry } from 'prom-client';
import type { MetricsSource } from '../observe/operations-server.ts';
import { type ImportGroup, readImportBacklog } from './import-backlog.ts';

/**
 * What waits to be imported, what has failed and which services do, read from the database whenever the metrics are asked
 * for. Made anew each time, so that what is not known is absent rather than as it was.
 */
export const importMetrics = (pool: Pool): MetricsSource => ({
  async metrics() {
    const registry = new Registry();
    const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
      new Gauge({ name: `linernotes_taste_${name}`, help, labelNames, registers: [registry] });
    const isUp = gauge('imports_up', 'Whether the database told what waits to be imported.');
    try {
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
      isUp.set(1);
    } catch {
      isUp.set(0);
    }
    return registry.metrics();
  },
});

function longestWaits(groups: readonly ImportGroup[]): Map<string, number> {
  const longest = new Map<string, number>();
  for (const { service, overdueSeconds } of groups) {
    if (overdueSeconds !== null) longest.set(service, Math.max(longest.get(service) ?? 0, overdueSeconds));
  }
  return longest;
}
