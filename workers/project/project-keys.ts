import type { ClientBase } from 'pg';
import type { Projection, SourceRegistry } from '../../projections/engine/projection.ts';
import { mirrorReader, rememberingReader } from '../../projections/engine/read-rows.ts';
import type { SubjectRef } from '../../projections/engine/rows.ts';
import type { VersionGroup } from '../../projections/engine/store/version.ts';
import {
  addResults,
  NO_WRITES,
  type WriteResult,
  withId,
  writeDocuments,
} from '../../projections/engine/store/write-documents.ts';

export interface KeysResult {
  /** Counts for the first version. */
  readonly written: WriteResult;
  /** Documents that may still differ because of these, each with the keys that it depends on. */
  readonly dependents: ReadonlyMap<SubjectRef, readonly SubjectRef[]>;
}

export interface ProjectOptions {
  readonly projection: Projection;
  /** Documents are projected once and written to all. */
  readonly versions: VersionGroup;
  readonly keys: Iterable<SubjectRef>;
  readonly registry: SourceRegistry;
  /** Whether the caller has locked the bucket of a dependent, which is then projected too, as it shares rows. */
  readonly isLocked?: (key: SubjectRef) => boolean;
}

/** Documents whose rows and bodies are in memory at a time, and the most dependents projected with them. */
const CHUNK = 500;

/**
 * Projects documents from the mirror and writes them, in the caller's transaction. The caller has locked their buckets
 * (`LOCKS.bucket`) and the first deliveries of sources (`LOCKS.delivery`).
 */
export async function projectKeys(
  client: ClientBase,
  { projection, versions: [first, ...others], keys, registry, isLocked = () => false }: ProjectOptions,
): Promise<KeysResult> {
  const projectedKeys = new Set(keys);
  const sorted = [...projectedKeys].sort();
  const dependents = new Map<SubjectRef, SubjectRef[]>();
  /** For each dependent that was projected, the key it goes back to. */
  const origins = new Map<SubjectRef, SubjectRef>();
  let written = NO_WRITES;
  for (let start = 0; start < sorted.length; start += CHUNK) {
    const readRows = rememberingReader(mirrorReader(client, registry));
    let capacity = CHUNK;
    for (let chunk = sorted.slice(start, start + CHUNK); chunk.length > 0; ) {
      const projected = await projection.project(chunk, readRows, registry);
      const documents = projected.map(withId);
      written = addResults(written, await writeDocuments(client, first, documents));
      for (const version of others) await writeDocuments(client, version, documents);
      chunk = [];
      for (const { key, dependents: ofKey } of projected) {
        const origin = origins.get(key) ?? key;
        for (const dependent of ofKey) {
          // The change was in the mirror before the rows of any projected document were read.
          if (projectedKeys.has(dependent)) continue;
          const known = dependents.get(dependent);
          if (known !== undefined) known.push(origin);
          else if (capacity === 0 || !isLocked(dependent)) dependents.set(dependent, [origin]);
          else {
            capacity--;
            projectedKeys.add(dependent);
            origins.set(dependent, origin);
            chunk.push(dependent);
          }
        }
      }
    }
  }
  return { written, dependents };
}
