import type { Pool } from 'pg';
import { type Generation, newestGeneration } from '../../../projections/search/generation.ts';
import { type Delta, deltaOn } from './delta.ts';
import { findLabelIn } from './find-label.ts';
import { type FacetList, type FacetValues, listFacetValues } from './list-facets.ts';
import { look, readChanges } from './look.ts';
import type { SearchQuery } from './query.ts';
import { runQuery, type SearchFound } from './run-query.ts';
import type { PartView } from './segment.ts';
import { listCache, openStoredSegment } from './stored-segment.ts';

/** Release groups beside a generation that are kept in memory; of more, another generation must be made. */
const MOST_CHANGES = 50_000;

/** No generation of this code has been built yet. */
export class NoGeneration extends Error {
  override readonly name = 'NoGeneration';
}

export interface IndexFound extends SearchFound {
  /** How far the searched release groups are behind the read model, in seconds, at most. */
  readonly behindSeconds: number;
}

export interface SearchIndex {
  /** @throws NoGeneration */
  search(query: SearchQuery, signal: AbortSignal): Promise<IndexFound>;
  /** The facet values of all that is searched. @throws NoGeneration */
  facets(): Promise<FacetList>;
  /** A label as it is commonly spelt; null where there is none of that name. @throws NoGeneration */
  findLabel(name: string): Promise<string | null>;
  /** Takes up all that has changed until it is called; those who wait share it. */
  refresh(): Promise<void>;
}

/** A generation that is open, and what it is known to lack. */
interface Opened {
  readonly generation: Generation;
  readonly delta: Delta;
  /** What the delta shows all changes of. */
  snapshot: string;
  /** The moment of that snapshot, in milliseconds since 1970. */
  atMs: number;
  /** When another version took the place of the one that this was made of; null while it is served. */
  replacedMs: number | null;
  /** Counted when they are asked for, once for the same segments. */
  facets: { readonly parts: readonly PartView[]; readonly values: FacetValues } | null;
}

/** SQLSTATE undefined_table. */
const NO_SUCH_TABLE = '42P01';
const isGone = (error: unknown): boolean => (error as { code?: unknown }).code === NO_SUCH_TABLE;

/** Opens the newest generation and keeps up with what changes, whenever `refresh` is called. */
export function openSearchIndex(pool: Pool): SearchIndex {
  const cache = listCache();
  let opened: Opened | null = null;
  let opening: Promise<void> | null = null;
  let refreshing: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  /** Why a generation could not be opened beside another. */
  let failure: Error | null = null;

  async function open(generation: Generation): Promise<void> {
    const base = await openStoredSegment(pool, generation, cache);
    const fresh: Opened = {
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

  /** The newest generation is opened beside the one that is searched; that one keeps up meanwhile. */
  async function takeUp(): Promise<void> {
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
    const told = failure;
    failure = null;
    throw told;
  }

  function noteFailure(error: unknown): void {
    failure = error instanceof Error ? error : new Error(String(error));
  }

  function begin(): Promise<void> {
    refreshing = takeUp().finally(() => {
      refreshing = null;
    });
    return refreshing;
  }

  /** One that is under way may have looked already. */
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

  async function current(): Promise<Opened> {
    if (opened === null) await refresh();
    if (opened === null) throw new NoGeneration();
    return opened;
  }

  /** Reads from what is open. It may have been dropped while we did not look for long; there is a newer one then. */
  async function reading<T>(read: (using: Opened) => Promise<T>): Promise<T> {
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
      if (using.facets?.parts !== parts) using.facets = { parts, values: listFacetValues(parts) };
      return { ...using.facets.values, takenAt: new Date(searchedAsOf(using)) };
    },
    findLabel: (name) => reading(({ delta }) => findLabelIn(delta.parts, name)),
  };
}

/** In milliseconds since 1970. */
const searchedAsOf = ({ atMs, replacedMs }: Opened): number => Math.min(atMs, replacedMs ?? atMs);

async function searchIn(opened: Opened, query: SearchQuery, signal: AbortSignal): Promise<IndexFound> {
  const sinceMs = searchedAsOf(opened);
  const found = await runQuery(opened.delta.parts, query, signal);
  return { ...found, behindSeconds: Math.max(0, Date.now() - sinceMs) / 1000 };
}

/** Takes in what changed since; leaves it where it is too much, so that the index says how far it is behind. */
async function keepUp(pool: Pool, opened: Opened): Promise<void> {
  const { generation, delta, snapshot } = opened;
  const seen = await look(pool, generation.version, snapshot);
  opened.replacedMs =
    seen.live === null || seen.live.version === generation.version ? null : seen.live.sinceMs;
  if (seen.changes > 0) {
    if (delta.size + seen.changes > MOST_CHANGES) return;
    try {
      delta.apply(await readChanges(pool, generation.version, snapshot));
    } catch (error) {
      // Another version has taken the place of the one that the generation is made of, whose documents are gone.
      if (isGone(error)) return;
      throw error;
    }
  }
  opened.snapshot = seen.snapshot;
  opened.atMs = seen.atMs;
}
