import type { SearchDocument } from '../../../../projections/models/search/document.ts';
import type { SearchCluster } from '../../../../projections/models/search/opensearch/cluster.ts';
import { indexedDocument } from '../../../../projections/models/search/opensearch/indexed-document.ts';

/** A document as it is to be in the cluster; null if it was deleted. */
export interface VersionedDocument {
  readonly id: number;
  readonly document: SearchDocument | null;
  /** The cluster keeps the highest version of a document, in whatever order they arrive. */
  readonly version: number;
}

interface Target {
  readonly cluster: SearchCluster;
  readonly index: string;
}

/** A request holds about this much; at most two are in flight, and the source is read no faster. */
const FLUSH_BYTES = 2 * 1024 * 1024;
const CONCURRENCY = 2;
/** Documents that a busy node rejected are sent again this often, with these pauses. */
const RETRIES = 10;
const RETRY_MS = 1_000;
/** A node may take long for a large request while it merges segments. */
const TIMEOUT_MS = 60_000;

/** The cluster has a newer version, or there is nothing to delete. */
const isSettled = (status: number): boolean => status === 409 || status === 404;

/** Sends documents in bulk. @throws Error if the cluster does not take one */
export async function sendDocuments(
  { cluster, index }: Target,
  documents: AsyncGenerator<VersionedDocument>,
): Promise<void> {
  let fault: string | null = null;
  await cluster.client.helpers.bulk(
    {
      datasource: documents,
      flushBytes: FLUSH_BYTES,
      concurrency: CONCURRENCY,
      retries: RETRIES,
      wait: RETRY_MS,
      onDocument({ id, document, version }) {
        const head = { _index: index, _id: String(id), version, version_type: 'external' };
        return document === null ? { delete: head } : [{ index: head }, indexedDocument(document)];
      },
      onDrop({ status, error, operation }) {
        if (!isSettled(status)) fault ??= `${status} ${error?.reason ?? ''} for ${JSON.stringify(operation)}`;
      },
    },
    { requestTimeout: TIMEOUT_MS },
  );
  if (fault !== null) throw new Error(`the search cluster does not take a document: ${fault}`);
}

/** Makes everything sent before visible to searches. @throws Error if a copy cannot be refreshed */
export async function refresh({ cluster, index }: Target): Promise<void> {
  const { body } = await cluster.client.indices.refresh({ index }, { requestTimeout: TIMEOUT_MS });
  const failed = body._shards?.failed ?? 0;
  if (failed > 0) throw new Error(`${failed} shard copies of ${index} cannot be refreshed`);
}
