import type { ClientBase, Pool } from 'pg';
import { int2Bytes, timestamptzBytes } from '../../db/binary-values.ts';
import { copyRows } from '../../db/copy-binary.ts';
import { transaction } from '../../db/transaction.ts';
import type { SourceRegistry } from '../../projections/projection.ts';
import type { Source } from '../../projections/sources/contract.ts';
import { lockVersions, markRefs } from './apply/apply-changes.ts';
import { movePosition, type Place } from './apply/position.ts';
import { announceDeliveries, noteChanges } from './apply/source-state.ts';
import { EpochRaised, readStandings, requireEpochs } from './apply/standing.ts';
import { refusedLetters } from './dead-letters/letters-of.ts';
import { parkLetters } from './dead-letters/park-letters.ts';
import type { Upsert } from './decode/envelope.ts';
import type { DecodedRecord, Ingested } from './ingest-batch.ts';

const DUPLICATE = '23505';
const DEADLOCK = '40P01';

/**
 * Copies a chunk of snapshot rows straight into the mirror: for sources that hold no row yet, where there is
 * nothing to guard.
 *
 * @returns null when there is something to guard after all, in which case nothing is written
 */
export async function copySnapshot(
  pool: Pool,
  registry: SourceRegistry,
  place: Place,
  records: readonly DecodedRecord[],
  from: number | null,
  to: number,
): Promise<Ingested | null> {
  const upserts = records.flatMap(({ decoded }) =>
    decoded.kind === 'upsert' && decoded.unavailable.length === 0 ? [decoded] : [],
  );
  // Index pages are then visited in their order, which halves the time of the copy.
  upserts.sort((a, b) => (a.key < b.key ? -1 : 1));
  const letters = refusedLetters(records, place);
  if (upserts.length + letters.length < records.length) return null;
  try {
    await transaction(pool, async (client) => {
      await movePosition(client, place, from, to);
      const versions = await lockVersions(client, false);
      await requireUnguarded(client, upserts, registry);
      await announceDeliveries(client, upserts, versions, registry);
      await copyUpserts(client, upserts, registry);
      await markRefs(client, upserts, versions);
      await noteChanges(client, upserts, [], registry);
      const settled = upserts.map((state) => ({ source: state.source, key: state.key, state }));
      await parkLetters(client, letters, records, place, { settled, truncated: [] }, registry);
    });
  } catch (error) {
    if (isGuarded(error)) return null;
    throw error;
  }
  return { applied: upserts.length, changed: upserts.length, deadLetters: letters.length };
}

/** The source is not any more what it was when the copy was chosen. */
class Guarded extends Error {
  override readonly name = 'Guarded';
}

const isGuarded = (error: unknown): boolean =>
  error instanceof Guarded ||
  error instanceof EpochRaised ||
  [DUPLICATE, DEADLOCK].includes((error as { code?: string }).code ?? '');

/** A truncate may have come since the copy was chosen; rows from before it must not come back. */
async function requireUnguarded(
  client: ClientBase,
  upserts: readonly Upsert[],
  registry: SourceRegistry,
): Promise<void> {
  const standings = await readStandings(client, new Set(upserts.map(({ source }) => source)), registry);
  requireEpochs(upserts, standings);
  for (const [source, { floor }] of standings) {
    if (floor !== null) throw new Guarded(`${source.table} was truncated`);
  }
}

async function copyUpserts(
  client: ClientBase,
  upserts: readonly Upsert[],
  registry: SourceRegistry,
): Promise<void> {
  await copyRows(
    client,
    'ingest.mirror (source, key, subject, order_key, row, version, source_time, changed_time)',
    rowsOf(upserts, registry),
  );
  const linked = upserts.filter(({ links }) => links.length > 0);
  if (linked.length === 0) return;
  await copyRows(
    client,
    'ingest.link (source, subject, key)',
    linked.flatMap(({ source, key, links }) =>
      [...new Set(links)].map((link) => [int2Bytes(registry.idOf(source)), link, key]),
    ),
  );
}

function* rowsOf(upserts: readonly Upsert[], registry: SourceRegistry) {
  for (const { source, key, subject, orderKey, row, version, sourceTimeMs } of upserts) {
    const time = timestamptzBytes(sourceTimeMs);
    yield [int2Bytes(registry.idOf(source)), key, subject, orderKey, row, version, time, time];
  }
}

/** Whether nothing of the source is in the mirror or has lost to a truncate, so that there is nothing to guard. */
export async function isUntouched(pool: Pool, source: Source, registry: SourceRegistry): Promise<boolean> {
  const { rows } = await pool.query<{ untouched: boolean }>(
    `select truncated_version is null and not exists (select from ingest.mirror where mirror.source = source.id)
       as untouched
     from ingest.source where id = $1`,
    [registry.idOf(source)],
  );
  return rows[0]?.untouched ?? false;
}
