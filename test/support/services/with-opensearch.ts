import { afterAll, beforeAll } from 'vitest';
import { openCluster } from '../../../projections/models/search/opensearch/cluster.ts';
import type { WritableCluster } from '../../../workers/jobs/search-generation/cluster/cluster-store.ts';
import { type LocalOpenSearch, OPENSEARCH_VERSION, startOpenSearch } from './opensearch.ts';
import { noteService } from './services-used.ts';

interface TestCluster {
  nodes(): LocalOpenSearch['nodes'];
  /** Another connection, until the end of the file. Its indexes have two shards, so that counts come from several. */
  connect(prefix?: string): WritableCluster;
}

/** Gives the test file a cluster of two nodes. */
export function withOpenSearch(): TestCluster {
  let server: LocalOpenSearch;
  const connections: WritableCluster[] = [];
  beforeAll(async () => {
    server = await startOpenSearch();
    noteService('OpenSearch', OPENSEARCH_VERSION, server.origin);
  });
  afterAll(async () => {
    for (const { close } of connections) await close();
    await server?.stop();
  });
  return {
    nodes: () => server.nodes,
    connect(prefix = 'test') {
      const cluster = openCluster({ SEARCH_URL: server.address, SEARCH_PREFIX: prefix });
      if (cluster === null) throw new Error('the cluster has no address');
      const writable = { ...cluster, shards: 2, replicas: 1 };
      connections.push(writable);
      return writable;
    },
  };
}
