import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Registry } from '../../projections/engine/registry.ts';
import { replayChangeFile } from '../../workers/ingest/snapshots/replay-change-file.ts';
import { keepVersions } from '../../workers/project/keep-versions.ts';
import { type ShownBuild, showBuild } from './show-build.ts';

export interface Renewal {
  /** Whether a progress bar is shown. Other output would break it. */
  isShown(): boolean;
  /** Stops after the documents in hand. The next start continues. */
  stop(): Promise<void>;
}

/** Builds versions of this code while the API serves those of other code, and promotes them. */
export function renewInBackground(pool: Pool, registry: Registry, log: Logger): Renewal {
  const ending = new AbortController();
  const shown = new Map<string, ShownBuild>();
  const done = keepVersions(pool, registry, {
    mode: 'promote',
    log,
    signal: ending.signal,
    onProgress({ name }, progress) {
      const isDone = progress.done === progress.total;
      const build = shown.get(name) ?? (isDone ? null : showBuild(name));
      build?.listeners.onProgress(progress);
      if (isDone) {
        build?.end();
        shown.delete(name);
      } else if (build !== null) shown.set(name, build);
    },
  }).finally(() => {
    for (const build of shown.values()) build.end();
  });
  return {
    isShown: () => shown.size > 0,
    async stop() {
      ending.abort();
      await done;
    },
  };
}

const TOPIC_PREFIX = 'producers';
/** Change events a second: slow enough to watch a dossier change. */
const PACE = 50;

interface PlayedFolder {
  readonly pool: Pool;
  readonly registry: Registry;
  readonly folder: string;
}

/** Plays the change events of a folder, if it has any, while the API serves. @returns how to stop */
export function playInBackground(
  { pool, registry, folder }: PlayedFolder,
  renewal: Renewal,
): () => Promise<void> {
  const path = ['changes.ndjson.gz', 'changes.ndjson'].map((name) => join(folder, name)).find(existsSync);
  if (path === undefined) return async () => {};
  const ending = new AbortController();
  let events = 0;
  const playing = replayChangeFile(path, {
    pool,
    registry,
    prefix: TOPIC_PREFIX,
    pace: PACE,
    signal: ending.signal,
    onProgress(count) {
      events += count;
      if (process.stderr.isTTY && !renewal.isShown())
        process.stderr.write(`\r${events} change events played, ${PACE} a second `);
    },
  }).then(
    (played) => {
      if (played.events === 0) return;
      process.stderr.write(`\r${played.events} change events played, ${played.deadLetters} dead letters\n`);
    },
    (error) => process.stderr.write(`\nchange events cannot be played: ${error}\n`),
  );
  return async () => {
    ending.abort();
    await playing;
  };
}
