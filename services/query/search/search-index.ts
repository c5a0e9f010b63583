import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { type Generation, newestGeneration } from '../../../projections/models/search/generation.ts';
import { type Delta, deltaOn } from './delta.ts';
import { type FacetList, type FacetValues, findLabelIn, listFacetValues } from './list-facets.ts';

import { pollDocuments, readChanges } from './poll-documents.ts';
import type { SearchQuery } from './query.ts';
import { runQuery, type SearchResult } from './run-query.ts';
import type { PartView } from './segment.ts';
import { listCache, openStoredSegment } from './stored-segment.ts';

/** Maximum changed release groups in memory; beyond them, the index waits for the next generation. */
const MOST_CHANGES = 50_000;

/** No generation has been built yet for this release of the code. */
export class NoGeneration extends Error {
  override readonly name = 'NoGeneration';
}

export interface IndexResult extends SearchResult {
  /** Maximum seconds that the index is behind the read model. */
  readonly behindSeconds: number;
}

export interface SearchIndex {
  /** @throws NoGeneration */
  search(query: SearchQuery, signal: AbortSignal): Promise<IndexResult>;
  /** All facet values. @throws NoGeneration */
  facets(): Promise<FacetList>;
  /** The commonest spelling of a label; null if no label has the name. @throws NoGeneration */
  findLabel(name: string): Promise<string | null>;
  /** Applies all changes made before the call. Concurrent callers share a refresh. */
  refresh(): Promise<void>;
}

/** An open generation and the changes since. */
interface OpenGeneration {
  readonly generation: Generation;
  readonly delta: Delta;
  /** The snapshot up to which the delta has all changes. */
  snapshot: string;
  /** Time of that snapshot, in milliseconds since 1970. */
  atMs: number;
  /** When another version replaced that of this generation; null while it is live. */
  replacedMs: number | null;
  /** Facet values, counted on demand and cached for the same segments. */
  facets: {
    readonly parts: readonly PartView[];
    readonly state: string;
    readonly values: FacetValues;
  } | null;
}

/** SQLSTATE undefined_table. */
const NO_SUCH_TABLE = '42P01';
const isGone = (error: unknown): boolean => (error as { code?: unknown }).code === NO_SUCH_TABLE;

/** Opens the newest generation. Each `refresh` applies changes and newer generations. */
export function openSearchIndex(pool: Pool): SearchIndex {
  const cache = listCache();
  let opened: OpenGeneration | null = null;
  let opening: Promise<void> | null = null;
  let refreshing: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  /** The error of opening a newer generation, while the old one serves. */
  let failure: Error | null = null;

  async function open(generation: Generation): Promise<void> {
    const base = await openStoredSegment(pool, generation, cache);
    const fresh: OpenGeneration = {
      generation,
      delta: deltaOn(base),
      snapshot: generation.snapshot,
      atMs: generation.takenAt.getTime(),
      replacedMs: null,
      facets: null,
    };
    await keepUp(pool, fresh);
    opened = fresh;
  }

  /** Opens the newest generation in the background, while the current one keeps applying changes. */
  async function applyChanges(): Promise<void> {
    const newest = await newestGeneration(pool);
    if (newest !== null && newest.id !== opened?.generation.id) {
      opening ??= open(newest).finally(() => {
        opening = null;
      });
      if (opened !== null) opening.catch(noteFailure);
    }
    if (opened === null) await opening;
    else await keepUp(pool, opened);
    if (failure === null) return;
    const error = failure;
    failure = null;
    throw error;
  }

  function noteFailure(error: unknown): void {
    failure = error instanceof Error ? error : new Error(String(error));
  }

  function begin(): Promise<void> {
    refreshing = applyChanges().finally(() => {
      refreshing = null;
    });
    return refreshing;
  }

  /** A running refresh may have polled before the call, so the caller waits for the next one. */
  function refresh(): Promise<void> {
    if (refreshing === null) return begin();
    next ??= refreshing
      .catch(() => {})
      .then(() => {
        next = null;
        return begin();
      });
    return next;
  }

  async function current(): Promise<OpenGeneration> {
    if (opened === null) await refresh();
    if (opened === null) throw new NoGeneration();
    return opened;
  }

  /** Reads from the open generation. If it was dropped since the last refresh, reads from the newer one. */
  async function reading<T>(read: (using: OpenGeneration) => Promise<T>): Promise<T> {
    const using = await current();
    try {
      return await read(using);
    } catch (error) {
      if (!isGone(error)) throw error;
      if (opened === using) opened = null;
      return read(await current());
    }
  }

  return {
    refresh,
    search: (query, signal) => reading((using) => searchIn(using, query, signal)),
    async facets() {
      const using = await current();
      const { parts } = using.delta;
      if (using.facets?.parts !== parts)
        using.facets = { parts, state: randomUUID(), values: listFacetValues(parts) };
      const { state, values } = using.facets;
      return { state, values, takenAt: new Date(searchedAsOf(using)) };
    },
    findLabel: (name) => reading(({ delta }) => findLabelIn(delta.parts, name)),
  };
}

/** In milliseconds since 1970. */
const searchedAsOf = ({ atMs, replacedMs }: OpenGeneration): number => Math.min(atMs, replacedMs ?? atMs);

async function searchIn(
  opened: OpenGeneration,
  query: SearchQuery,
  signal: AbortSignal,
): Promise<IndexResult> {
  const sinceMs = searchedAsOf(opened);
  const found = await runQuery(opened.delta.parts, query, signal);
  return { ...found, behindSeconds: Math.max(0, Date.now() - sinceMs) / 1000 };
}

/** Applies changes since the last snapshot. Too many changes are skipped, and the index reports its lag. */
async function keepUp(pool: Pool, opened: OpenGeneration): Promise<void> {
  const { generation, delta, snapshot } = opened;
  const seen = await pollDocuments(pool, generation.version, snapshot);
  opened.replacedMs =
    seen.live === null || seen.live.version === generation.version ? null : seen.live.sinceMs;
  if (seen.changes > 0) {
    if (delta.size + seen.changes > MOST_CHANGES) return;
    try {
      delta.apply(await readChanges(pool, generation.version, snapshot));
    } catch (error) {
      // The version of this generation was replaced and its documents dropped.
      if (isGone(error)) return;
      throw error;
    }
  }
  opened.snapshot = seen.snapshot;
  opened.atMs = seen.atMs;
}
