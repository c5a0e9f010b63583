import type { ClientBase, Pool } from 'pg';
import { recordAudit } from '../../db/audit.ts';
import { LOCKS } from '../../db/locks.ts';
import { transaction } from '../../db/transaction.ts';
import { type Projection, type SourceRegistry, splitRef, subjectRef } from '../../projections/projection.ts';
import { mirrorReader } from '../../projections/read-rows.ts';
import type { SubjectRef } from '../../projections/rows.ts';
import { documentIds } from '../../projections/store/document-id.ts';
import { projectionFingerprint } from '../../projections/store/fingerprint.ts';
import { BUCKETS, bucketOf, markDirty } from '../../projections/store/mark.ts';
import { addressTable, documentTable, type Version, versionsOf } from '../../projections/store/version.ts';
import type { Decision } from './decision.ts';
import { projectKeys } from './project-keys.ts';

/** What became of one document in one version. */
export interface RebuiltKey {
  readonly key: SubjectRef;
  readonly version: Version;
  readonly outcome: 'equal' | 'changed' | 'removed';
}

/**
 * Projects one entity again in every version of this code that has documents, at once.
 *
 * @param asked the key of its document, as in `artist:<cluster id>`, or what it is found by, as a slug
 * @throws where nothing is known by it, or no version was made by this code
 */
export async function rebuildKey(
  pool: Pool,
  projection: Projection,
  registry: SourceRegistry,
  asked: string,
  decision: Decision,
): Promise<RebuiltKey[]> {
  const kept = await versionsOf(pool, projection.name);
  const versions = kept.filter(
    ({ state, fingerprint }) => state !== 'building' && fingerprint === projectionFingerprint(projection),
  );
  if (versions.length === 0)
    throw new Error(`no version of ${projection.name} was made by this code; see: versions list`);
  return transaction(pool, async (client) => {
    const key = await resolveKey(client, projection, versions, registry, asked);
    const rebuilt: RebuiltKey[] = [];
    for (const version of versions) {
      rebuilt.push({ key, version, outcome: await projectAgain(client, projection, version, key, registry) });
    }
    await recordAudit(client, {
      ...decision,
      action: 'rebuild key',
      target: `${projection.name} ${key}`,
      detail: Object.fromEntries(rebuilt.map(({ version, outcome }) => [version.id, outcome])),
    });
    return rebuilt;
  });
}

async function projectAgain(
  client: ClientBase,
  projection: Projection,
  version: Version,
  key: SubjectRef,
  registry: SourceRegistry,
): Promise<RebuiltKey['outcome']> {
  await client.query('select pg_advisory_xact_lock($1, $2)', [
    LOCKS.bucket,
    version.id * BUCKETS + bucketOf(key),
  ]);
  await client.query('select pg_advisory_xact_lock_shared($1)', [LOCKS.delivery]);
  const { written, touches } = await projectKeys(client, projection, [version], [key], registry);
  await markDirty(client, [{ versions: [version], keys: new Set(touches.keys()) }]);
  if (written.removed > 0) return 'removed';
  return written.changed > 0 ? 'changed' : 'equal';
}

/** The document that is meant: one that is stored by this key or id, the owner of this address, or one that is missing. */
async function resolveKey(
  client: ClientBase,
  projection: Projection,
  versions: readonly Version[],
  registry: SourceRegistry,
  asked: string,
): Promise<SubjectRef> {
  const isRef = projection.keys.includes(splitRef(asked as SubjectRef).kind);
  const refs = isRef ? [asked as SubjectRef] : projection.keys.map((kind) => subjectRef(kind, asked));
  const stored = await findStored(client, versions, refs);
  if (stored !== null) return stored;
  const owner = await findOwner(client, versions, asked);
  if (owner !== null) return owner;
  const projected = await projection.project(refs, mirrorReader(client, registry), registry);
  const missing = projected.find(({ document }) => document !== null);
  if (missing === undefined)
    throw new Error(
      `${projection.name} knows nothing by "${asked}"; give a key, as in ${projection.keys[0]}:…, or an address, as a slug`,
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

/** Addresses are stored in lower case, but for those that hold an id as it is written. */
async function findOwner(
  client: ClientBase,
  versions: readonly Version[],
  asked: string,
): Promise<SubjectRef | null> {
  const [version] = versions;
  if (version === undefined) return null;
  const { rows } = await client.query<{ key: SubjectRef }>(
    `select key from ${addressTable(version)} join ${documentTable(version)} on id = document
     where address = any($1) order by rank, support desc, document limit 1`,
    [[asked, asked.toLowerCase()]],
  );
  return rows[0]?.key ?? null;
}
