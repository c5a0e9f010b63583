import type { ClientBase } from 'pg';
import type { Projection, SourceRegistry } from '../../projections/projection.ts';
import { mirrorReader, rememberingReader } from '../../projections/read-rows.ts';
import type { SubjectRef } from '../../projections/rows.ts';
import type { VersionFamily } from '../../projections/store/version.ts';
import {
  addWritten,
  NOTHING_WRITTEN,
  type Written,
  writable,
  writeDocuments,
} from '../../projections/store/write-documents.ts';

export interface ProjectedKeys {
  /** What became of the documents of the first version. */
  readonly written: Written;
  /** Documents that may still differ because of these, each with those of the keys that it may differ because of. */
  readonly touches: ReadonlyMap<SubjectRef, readonly SubjectRef[]>;
}

export interface ProjectOptions {
  /**
   * Whether the caller keeps every other projector from a document too, so that it may be projected with those that
   * touch it, whose rows it shares.
   */
  readonly isHeld?: (key: SubjectRef) => boolean;
}

/** Documents whose rows and bodies are in memory at a time, and touched documents that are projected with them at most. */
const CHUNK = 500;

/**
 * Brings documents of versions up to date with the mirror, in the caller's transaction, which keeps every other
 * projector from them (see `LOCKS.bucket`) and from announcing a source's first delivery meanwhile (`LOCKS.delivery`).
 * They are made once, however many versions they are written to.
 */
export async function projectKeys(
  client: ClientBase,
  projection: Projection,
  [first, ...others]: VersionFamily,
  keys: Iterable<SubjectRef>,
  registry: SourceRegistry,
  { isHeld = () => false }: ProjectOptions = {},
): Promise<ProjectedKeys> {
  const own = new Set(keys);
  const sorted = [...own].sort();
  const touches = new Map<SubjectRef, SubjectRef[]>();
  /** Of what is projected because it was touched, which of the keys that goes back to. */
  const origins = new Map<SubjectRef, SubjectRef>();
  let written = NOTHING_WRITTEN;
  for (let start = 0; start < sorted.length; start += CHUNK) {
    const readRows = rememberingReader(mirrorReader(client, registry));
    let room = CHUNK;
    for (let batch = sorted.slice(start, start + CHUNK); batch.length > 0; ) {
      const projected = await projection.project(batch, readRows, registry);
      const documents = projected.map(writable);
      written = addWritten(written, await writeDocuments(client, first, documents));
      for (const version of others) await writeDocuments(client, version, documents);
      batch = [];
      for (const { key, touches: touched } of projected) {
        const origin = origins.get(key) ?? key;
        for (const other of touched) {
          // Whatever made this one differ was there before any row was read for the other.
          if (own.has(other)) continue;
          const touching = touches.get(other);
          if (touching !== undefined) touching.push(origin);
          else if (room === 0 || !isHeld(other)) touches.set(other, [origin]);
          else {
            room--;
            own.add(other);
            origins.set(other, origin);
            batch.push(other);
          }
        }
      }
    }
  }
  return { written, touches };
}
