import type { ClientBase, Pool } from 'pg';
import { recordAudit } from '../../db/audit.ts';
import { LOCKS } from '../../db/locks.ts';
import { transaction } from '../../db/transaction.ts';
import {
  type Projection,
  type SourceRegistry,
  splitRef,
  subjectRef,
} from '../../projections/engine/projection.ts';
import { mirrorReader } from '../../projections/engine/read-rows.ts';
import type { SubjectRef } from '../../projections/engine/rows.ts';
import { isOwn } from '../../projections/engine/store/code-version.ts';
import { documentIds } from '../../projections/engine/store/document-id.ts';
import { BUCKETS, bucketOf, markDirty } from '../../projections/engine/store/mark.ts';
import {
  documentTable,
  lookupTable,
  type Version,
  versionsOf,
} from '../../projections/engine/store/version.ts';
import type { Decision } from './decision.ts';
import { projectKeys } from './project-keys.ts';

export interface RebuildKeyOptions {
  readonly name: string;
  readonly decision: Decision;
}

export interface RebuiltKey {
  readonly key: SubjectRef;
  readonly version: Version;
  readonly outcome: 'equal' | 'changed' | 'removed';
}

/**
 * Projects one entity again in every version of this code that has documents, in one transaction.
 *
 * @param name the key of its document, such as `artist:<cluster id>`, or a lookup key, such as a slug
 * @throws if the name is unknown or no version was built by this code
 */
export async function rebuildKey(
  pool: Pool,
  projection: Projection,
  registry: SourceRegistry,
  { name, decision }: RebuildKeyOptions,
): Promise<RebuiltKey[]> {
  const kept = await versionsOf(pool, projection.name);
  const versions = kept.filter((version) => version.state !== 'building' && isOwn(version, projection));
  if (versions.length === 0)
    throw new Error(`no version of ${projection.name} was built by this code; see: versions list`);
  return transaction(pool, async (client) => {
    const key = await resolveKey(client, { projection, versions, registry, name });
    const rebuilt: RebuiltKey[] = [];
    // The live version first, because one that is about to replace it must not lack a change that it has.
    for (const version of versions.toSorted(
      (a, b) => Number(b.state === 'live') - Number(a.state === 'live'),
    )) {
      rebuilt.push({
        key,
        version,
        outcome: await projectAgain(client, { projection, version, key, registry }),
      });
    }
    await recordAudit(client, {
      ...decision,
      action: 'rebuild key',
      target: `${projection.name} ${key}`,
      detail: Object.fromEntries(rebuilt.map(({ version, outcome }) => [version.id, outcome])),
    });
    return rebuilt.sort((a, b) => a.version.id - b.version.id);
  });
}

interface EntityVersion {
  readonly projection: Projection;
  readonly version: Version;
  readonly key: SubjectRef;
  readonly registry: SourceRegistry;
}

async function projectAgain(
  client: ClientBase,
  { projection, version, key, registry }: EntityVersion,
): Promise<RebuiltKey['outcome']> {
  await client.query('select pg_advisory_xact_lock($1, $2)', [
    LOCKS.bucket,
    version.id * BUCKETS + bucketOf(key),
  ]);
  await client.query('select pg_advisory_xact_lock_shared($1)', [LOCKS.delivery]);
  const { written, dependents } = await projectKeys(client, {
    projection,
    versions: [version],
    keys: [key],
    registry,
  });
  await markDirty(client, [{ versions: [version], keys: new Set(dependents.keys()) }]);
  if (written.removed > 0) return 'removed';
  return written.changed > 0 ? 'changed' : 'equal';
}

/** Finds a document by its key or id, by a lookup key, or as one that is missing in the versions. */
interface NamedEntity {
  readonly projection: Projection;
  readonly versions: readonly Version[];
  readonly registry: SourceRegistry;
  readonly name: string;
}

async function resolveKey(
  client: ClientBase,
  { projection, versions, registry, name }: NamedEntity,
): Promise<SubjectRef> {
  const isRef = projection.keys.includes(splitRef(name as SubjectRef).kind);
  const refs = isRef ? [name as SubjectRef] : projection.keys.map((kind) => subjectRef(kind, name));
  const stored = await findStored(client, versions, refs);
  if (stored !== null) return stored;
  const owner = await findOwner(client, versions, name);
  if (owner !== null) return owner;
  const projected = await projection.project(refs, mirrorReader(client, registry), registry);
  const missing = projected.find(({ document }) => document !== null);
  if (missing === undefined)
    throw new Error(
      `${projection.name} has no document for "${name}"; give a key, such as ${projection.keys[0]}:…, or a lookup key, such as a slug`,
    );
  return missing.key;
}

async function findStored(
  client: ClientBase,
  versions: readonly Version[],
  refs: readonly SubjectRef[],
): Promise<SubjectRef | null> {
  const tables = versions.map(
    (version) => `select key from ${documentTable(version)} where id = any($1::uuid[])`,
  );
  const { rows } = await client.query<{ key: SubjectRef }>(`${tables.join(' union ')} limit 1`, [
    documentIds(refs),
  ]);
  return rows[0]?.key ?? null;
}

/** Lookup keys are stored in lower case, except ids. */
async function findOwner(
  client: ClientBase,
  versions: readonly Version[],
  name: string,
): Promise<SubjectRef | null> {
  const [version] = versions;
  if (version === undefined) return null;
  const { rows } = await client.query<{ key: SubjectRef }>(
    `select key from ${lookupTable(version)} join ${documentTable(version)} on id = document
     where address = any($1) order by rank, support desc, document limit 1`,
    [[name, name.toLowerCase()]],
  );
  return rows[0]?.key ?? null;
}
