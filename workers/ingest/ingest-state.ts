import { Gauge, Registry } from 'prom-client';
import type { Finding } from '../../infra/runtime/cause.ts';
import type { MetricsSource } from '../../infra/runtime/operations-server.ts';

/** The state of a connection or a partition. */
interface RunState {
  readonly state: 'running' | 'waiting' | 'stopped';
  readonly reason: string | null;
}

/** The part of a consumer that its metrics and findings need. */
export interface WatchedConsumer {
  connection(): RunState;
  partitions(): readonly (RunState & { readonly topic: string; readonly partition: number })[];
}

/**
 * Why a consumer does not work: Kafka is unavailable, or none of its partitions runs. If only some partitions wait or
 * are stopped, an operator must look, but the process is ready.
 *
 * @param consumer null before it exists
 */
export function consumerFindings(consumer: WatchedConsumer | null): Finding[] {
  if (consumer === null) return [{ what: 'kafka', detail: 'not connected yet' }];
  const { state, reason } = consumer.connection();
  if (state !== 'running') return [{ what: 'kafka', detail: reason ?? 'not connected' }];
  const partitions = consumer.partitions();
  const blocked = partitions.find((partition) => partition.state !== 'running');
  if (blocked === undefined || partitions.some((partition) => partition.state === 'running')) return [];
  return [{ what: 'partitions', detail: blocked.reason ?? 'none is running' }];
}

const STATES = ['running', 'waiting', 'stopped'] as const;

/** For each partition of a consumer: 1 for its state, 0 for the others. */
export const partitionMetrics = (consumer: () => WatchedConsumer | null): MetricsSource => ({
  metrics() {
    const registry = new Registry();
    const inState = new Gauge({
      name: 'linernotes_partition_state',
      help: '1 for the state of a partition of this process.',
      labelNames: ['topic', 'partition', 'state'],
      registers: [registry],
    });
    for (const { topic, partition, state } of consumer()?.partitions() ?? []) {
      for (const each of STATES) inState.set({ topic, partition, state: each }, each === state ? 1 : 0);
    }
    return registry.metrics();
  },
});
