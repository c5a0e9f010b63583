import { Type } from '@sinclair/typebox';
import { readConfig } from '../../../../infra/runtime/config.ts';
import { ClusterConfig, openCluster } from '../../../../projections/models/search/opensearch/cluster.ts';
import type { GenerationStore } from '../generation-store.ts';
import { tableStore } from '../table-store.ts';
import { clusterStore, type WritableCluster } from './cluster-store.ts';

export const SearchJobConfig = Type.Composite([
  ClusterConfig,
  Type.Object({
    SEARCH_SHARDS: Type.Integer({
      default: 1,
      minimum: 1,
      maximum: 64,
      description: 'Shards of the next index in the search cluster.',
    }),
    SEARCH_REPLICAS: Type.Integer({
      default: 1,
      minimum: 0,
      maximum: 8,
      description: 'Further copies of each shard. With 0, searches fail while a node is down.',
    }),
  }),
]);

/** The search cluster that jobs write to; null without one. */
export function readSearchCluster(): WritableCluster | null {
  const config = readConfig(SearchJobConfig);
  const cluster = openCluster(config);
  return cluster === null
    ? null
    : { ...cluster, shards: config.SEARCH_SHARDS, replicas: config.SEARCH_REPLICAS };
}

/** Runs `work` with the store of the settings, and then closes its connections. */
export async function withStore<T>(work: (store: GenerationStore) => Promise<T>): Promise<T> {
  const cluster = readSearchCluster();
  if (cluster === null) return work(tableStore);
  try {
    return await work(clusterStore(cluster));
  } finally {
    await cluster.close();
  }
}
