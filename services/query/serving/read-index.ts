import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { isStale } from '../../../projections/published/published-index.ts';
import { readFirst } from '../../../projections/published/read-published.ts';
import { softReader } from './soft-read.ts';

/** The rows of an index by list, and what is said of the snapshot they are from. */
interface IndexAnswer {
  rowsOf(list: string): unknown[];
  readonly rows: readonly unknown[];
  readonly about: {
    readonly snapshotDate: string | null;
    readonly state: 'present' | 'empty' | 'degraded';
    readonly stale: boolean;
  };
}

export type ReadIndex = (lists: readonly string[], limit: number) => Promise<IndexAnswer>;

const WITHOUT_SNAPSHOT = { snapshotDate: null, stale: false } as const;

/** Reads the first rows of lists of an index that is published now and then. One that never was is empty. */
export function indexReader(
  { readPool, now, log }: { readonly readPool: Pool; readonly now: () => number; readonly log: Logger },
  index: string,
): ReadIndex {
  const read = softReader(log, index);
  return async (lists, limit) => {
    const found = await read(() => readFirst(readPool, index, lists, limit));
    if (found === 'degraded' || found === null) {
      const state = found === null ? 'empty' : 'degraded';
      return { rowsOf: () => [], rows: [], about: { ...WITHOUT_SNAPSHOT, state } };
    }
    const { day, publishedAt, entries } = found;
    return {
      rowsOf: (list) => entries.flatMap((entry) => (entry.list === list ? [entry.body] : [])),
      rows: entries.map(({ body }) => body),
      about: {
        snapshotDate: day,
        state: entries.length > 0 ? 'present' : 'empty',
        stale: isStale(publishedAt, now()),
      },
    };
  };
}
