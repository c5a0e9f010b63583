import type { ClientBase } from 'pg';
import { LOCKS } from '../../../db/locks.ts';
import type { Projection, SourceRegistry } from '../../../projections/projection.ts';
import { mirrorReader } from '../../../projections/read-rows.ts';
import type { SubjectRef } from '../../../projections/rows.ts';
import { copyDocuments } from '../../../projections/store/copy-documents.ts';
import type { Version } from '../../../projections/store/version.ts';

/** Projects documents that the version does not hold yet, and copies them into it. */
export async function buildRange(
  client: ClientBase,
  projection: Projection,
  version: Version,
  keys: readonly SubjectRef[],
  registry: SourceRegistry,
): Promise<void> {
  await client.query('select pg_advisory_xact_lock_shared($1)', [LOCKS.delivery]);
  const projected = await projection.project(keys, mirrorReader(client, registry), registry);
  await copyDocuments(client, version, projected);
}
