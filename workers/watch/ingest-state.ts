import { Gauge, Registry } from 'prom-client';
import type { Finding } from '../../projections/observe/cause.ts';
import type { MetricsSource } from '../../projections/observe/operations-server.ts';

/** How it stands with a connection or a partition, as a consumer tells it. */
interface Standing {
  readonly state: 'running' | 'waiting' | 'stopped';
  readonly reason: string | null;
}

/** What is asked of a consumer of the log. */
export interface WatchedConsumer {
  connection(): Standing;
  partitions(): readonly (Standing & { readonly topic: string; readonly partition: number })[];
}

/**
 * What keeps a consumer from its work: Kafka that is away, or partitions of which none goes on. One that stands still
 * among others that run is for an operator to look at, and no reason to call the process unfit.
 *
 * @param consumer null before it is there
 */
export function consumerFindings(consumer: WatchedConsumer | null): Finding[] {
  if (consumer === null) return [{ what: 'kafka', detail: 'not connected yet' }];
  const { state, reason } = consumer.connection();
  if (state !== 'running') return [{ what: 'kafka', detail: reason ?? 'not connected' }];
  const partitions = consumer.partitions();
  const held = partitions.find((partition) => partition.state !== 'running');
  if (held === undefined || partitions.some((partition) => partition.state === 'running')) return [];
  return [{ what: 'partitions', detail: held.reason ?? 'none goes on' }];
}

const STATES = ['running', 'waiting', 'stopped'] as const;

/** For each partition that a consumer reads, 1 for the state it is in. */
export const partitionMetrics = (consumer: () => WatchedConsumer | null): MetricsSource => ({
  metrics() {
    const registry = new Registry();
    const inState = new Gauge({
      name: 'linernotes_partition_state',
      help: '1 for the state that a partition of this process is in.',
      labelNames: ['topic', 'partition', 'state'],
      registers: [registry],
    });
    for (const { topic, partition, state } of consumer()?.partitions() ?? []) {
      for (const each of STATES) inState.set({ topic, partition, state: each }, each === state ? 1 : 0);
    }
    return registry.metrics();
  },
});
