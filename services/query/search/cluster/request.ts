import { type API, errors } from '@opensearch-project/opensearch';
import { retry } from '../../../../infra/runtime/retry.ts';
import {
  isMissingIndex,
  type SearchCluster,
} from '../../../../projections/models/search/opensearch/cluster.ts';
import { ApiError } from '../../../http/errors.ts';

/** The cluster gives up on a search shortly before the deadline of its request. */
const CANCEL_AFTER = '14s';
/** While shards move away from a lost node, a search may find none of them for a moment. */
const MOVING = { backoff: { firstMs: 100, maxMs: 1_000 }, retries: 4 };

/** Sends a search, again if shards are moving. @throws the signal's reason, or an ApiError if the cluster does not respond */
export async function request(
  cluster: SearchCluster,
  body: API.Search_RequestBody,
  signal: AbortSignal,
): Promise<API.Search_ResponseBody> {
  try {
    return await retry(() => send(cluster, body, signal), { ...MOVING, signal, isRetryable: isLost });
  } catch (error) {
    throw signal.aborted ? signal.reason : asApiError(error);
  }
}

async function send(
  { client, alias }: SearchCluster,
  body: API.Search_RequestBody,
  signal: AbortSignal,
): Promise<API.Search_ResponseBody> {
  signal.throwIfAborted();
  const sent = client.search({
    index: alias,
    body,
    // Without all shards, totals and counts would be too low.
    allow_partial_search_results: false,
    cancel_after_time_interval: CANCEL_AFTER,
  });
  const onAbort = () => sent.abort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return (await sent).body;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Whether no node, or not every shard, could be reached. */
const isLost = (error: unknown): boolean =>
  error instanceof errors.ConnectionError ||
  error instanceof errors.NoLivingConnectionsError ||
  (error instanceof errors.ResponseError && (error.statusCode === 429 || error.statusCode >= 500));

function asApiError(error: unknown): unknown {
  if (error instanceof errors.TimeoutError)
    return new ApiError(
      'deadline_exceeded',
      { message: 'The search cluster did not respond in time.' },
      error,
    );
  if (isMissingIndex(error)) return new ApiError('not_ready', {}, error);
  return isLost(error)
    ? new ApiError('database_unavailable', { message: 'The search cluster cannot be reached.' }, error)
    : error;
}
