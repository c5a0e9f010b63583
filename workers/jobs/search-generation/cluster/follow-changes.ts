import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { LOCKS } from '../../../../db/locks.ts';
import { pause } from '../../../../infra/runtime/retry.ts';
import { throttle } from '../../../../infra/runtime/throttle.ts';
import type { SearchCluster } from '../../../../projections/models/search/opensearch/cluster.ts';
import { withLock } from '../with-lock.ts';
import { applyChanges } from './apply-changes.ts';

/** A change is visible after this time and that of its bulk request and refresh. */
const POLL_MS = 1_000;
const LOG_EVERY_MS = 30_000;

interface FollowOptions {
  readonly pool: Pool;
  readonly cluster: SearchCluster;
  readonly log: Logger;
}

/** Writes changed documents into the search cluster, every second until stopped. Of several processes one does so. */
export function followChanges({ pool, cluster, log }: FollowOptions): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const throttled = throttle(LOG_EVERY_MS);
  const following = follow();
  return {
    async stop() {
      stopping.abort();
      await following;
    },
  };

  async function follow(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await withLock(pool, LOCKS.searchChanges, (client) => applyChanges(client, cluster));
      } catch (error) {
        throttled((skipped) =>
          log.warn({ err: error, skipped }, 'cannot write changes into the search cluster; trying again'),
        );
      }
      await pause(POLL_MS, stopping.signal);
    }
  }
}
