import type { ClientBase } from 'pg';
import type { Projection, SourceRegistry } from '../../projections/projection.ts';
import { mirrorReader } from '../../projections/read-rows.ts';
import type { SubjectRef } from '../../projections/rows.ts';
import type { VersionFamily } from '../../projections/store/version.ts';
import {
  addWritten,
  NOTHING_WRITTEN,
  type Written,
  writeDocuments,
} from '../../projections/store/write-documents.ts';

export interface ProjectedKeys {
  /** What became of the documents of the first version. */
  readonly written: Written;
  /** Documents that may differ because of these, each with those that it may differ because of. */
  readonly touches: ReadonlyMap<SubjectRef, readonly SubjectRef[]>;
}

/** Documents whose rows and bodies are in memory at a time. */
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
): Promise<ProjectedKeys> {
  const sorted = [...new Set(keys)].sort();
  const readRows = mirrorReader(client, registry);
  const touches = new Map<SubjectRef, SubjectRef[]>();
  let written = NOTHING_WRITTEN;
  for (let start = 0; start < sorted.length; start += CHUNK) {
    const projected = await projection.project(sorted.slice(start, start + CHUNK), readRows, registry);
    written = addWritten(written, await writeDocuments(client, first, projected));
    for (const version of others) await writeDocuments(client, version, projected);
    for (const { key, touches: touched } of projected)
      for (const other of touched) {
        const touching = touches.get(other);
        if (touching === undefined) touches.set(other, [key]);
        else touching.push(key);
      }
  }
  return { written, touches };
}
