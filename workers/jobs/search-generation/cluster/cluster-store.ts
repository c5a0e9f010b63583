import {
  CLUSTER_FORMAT,
  isMissingIndex,
  type SearchCluster,
} from '../../../../projections/models/search/opensearch/cluster.ts';
import { MAPPING } from '../../../../projections/models/search/opensearch/indexed-document.ts';
import type { GenerationSource, GenerationStore } from '../generation-store.ts';
import { applyChanges } from './apply-changes.ts';
import { refresh, sendDocuments, type VersionedDocument } from './send-documents.ts';

/** A search cluster, and how its next index is made. */
export interface WritableCluster extends SearchCluster {
  readonly shards: number;
  /** Further copies of each shard. */
  readonly replicas: number;
}

/** Below the number of every change, so that any change replaces a document of the build. */
const BUILT_VERSION = 0;
/** A deletion is remembered for this long, so that an older version that arrives later stays deleted. */
const DELETIONS_KEPT = '1h';
/** How long a new index waits for its replicas; without them it serves all the same. */
const REPLICA_WAIT_S = 60;

/** Generations as indexes of a search cluster, one each. Searches use the alias, which moves when an index is complete. */
export function clusterStore(cluster: WritableCluster): GenerationStore {
  const { client, alias, pattern, shards, replicas } = cluster;

  async function servedIndexes(): Promise<string[]> {
    const { body } = await client.indices.getAlias({ name: alias }, { ignore: [404] });
    return Object.keys(body).filter((index) => cluster.generationOf(index) !== null);
  }

  return {
    format: CLUSTER_FORMAT,
    takesChanges: true,
    async prepare(_client, id) {
      const index = cluster.indexOf(id);
      await client.indices.putIndexTemplate({
        name: alias,
        body: {
          index_patterns: [pattern],
          template: {
            settings: {
              number_of_shards: shards,
              number_of_replicas: replicas,
              // The writer refreshes, and so knows when its changes are visible.
              refresh_interval: '-1',
              gc_deletes: DELETIONS_KEPT,
            },
            mappings: MAPPING,
          },
        },
      });
      // A restored database may count its generations again.
      await client.indices.delete({ index }, { ignore: [404] });
      // Replicas copy the finished index, which costs less than indexing twice.
      await client.indices.create({ index, body: { settings: { number_of_replicas: 0 } } });
    },
    async write(_client, source) {
      const index = cluster.indexOf(source.id);
      const target = { cluster, index };
      let documents = 0;
      await sendDocuments(
        target,
        builtDocuments(source, (count) => {
          documents += count;
        }),
      );
      return {
        documents,
        exactBits: 0,
        async finish() {
          await refresh(target);
          const { body } = await client.count({ index });
          if (body.count !== documents)
            throw new Error(`${index} has ${body.count} of ${documents} documents`);
          await client.indices.putSettings({ index, body: { number_of_replicas: replicas } });
          await client.cluster.health(
            { index, wait_for_status: 'green', timeout: `${REPLICA_WAIT_S}s` },
            { ignore: [408], requestTimeout: (REPLICA_WAIT_S + 5) * 1_000 },
          );
        },
      };
    },
    async serve(db, id) {
      const index = cluster.indexOf(id);
      const served = await servedIndexes();
      if (served.length === 1 && served[0] === index) return;
      await applyChanges(db, cluster);
      const removals = served.map((other) => ({ remove: { index: other, alias } }));
      await client.indices.updateAliases({ body: { actions: [...removals, { add: { index, alias } }] } });
    },
    async holds(id) {
      const { body } = await client.indices.exists({ index: cluster.indexOf(id) });
      return body;
    },
    async keepOnly(ids) {
      const { body } = await client.indices.get({ index: pattern }, { ignore: [404] });
      for (const index of Object.keys(body)) {
        const id = cluster.generationOf(index);
        if (id === null || ids.includes(id)) continue;
        await client.indices.delete({ index }).catch((error) => {
          if (!isMissingIndex(error)) throw error;
        });
      }
    },
  };
}

async function* builtDocuments(
  { documents, signal }: GenerationSource,
  onRead: (count: number) => void,
): AsyncGenerator<VersionedDocument> {
  for await (const some of documents) {
    signal?.throwIfAborted();
    onRead(some.length);
    for (const document of some) yield { id: document.row.master_id, document, version: BUILT_VERSION };
  }
}
