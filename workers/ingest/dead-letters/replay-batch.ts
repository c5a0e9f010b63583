import type { ClientBase } from 'pg';
import { recordAudit } from '../../../db/audit.ts';
import type { Registry } from '../../../projections/engine/registry.ts';
import { applyChanges, partition } from '../apply/apply-changes.ts';
import { enforceLimits } from '../apply/enforce-limits.ts';
import { countRecords } from '../apply/record-counts.ts';
import { sortRecords } from '../apply/sort-records.ts';
import { DEFAULT_LIMITS, type RecordLimits } from '../record-limits.ts';
import { NO_SCHEMAS } from '../schemas/message-schema.ts';
import { resolveSchemas, type SchemaRegistry } from '../schemas/schema-registry.ts';
import { claimDeadLetters, decodeDeadLetter } from './claim-dead-letters.ts';
import { type DecodedDeadLetter, isOfPastEpoch, outcomesOf, type ReplayState } from './replay-outcome.ts';
import { type Settlement, settleReplayed } from './settle-replayed.ts';
import { supersedeDeadLetters, supersedeOutdated } from './supersede.ts';

export interface ReplayRules {
  /** Default: `DEFAULT_LIMITS`. */
  readonly limits?: RecordLimits | undefined;
  /** The operator has checked that positions and times beyond the limits are right. */
  readonly acceptsPositions?: boolean | undefined;
  /** Of records in Avro or Protobuf; default: none. */
  readonly schemas?: SchemaRegistry | null | undefined;
}

/** A replay reads no record again: only the newest positions are stored under this name. */
const REPLAYS = { group: 'replay', topic: 'dead letters', partition: 0 };

/**
 * Replays a batch in the caller's transaction.
 *
 * @returns the new states, by id, of these dead letters and of others that this batch superseded
 */
export async function replayBatch(
  client: ClientBase,
  registry: Registry,
  ids: readonly number[],
  options: Settlement &
    ReplayRules & {
      /** For the audit: a name of the selection. */
      readonly target: string;
    },
): Promise<ReadonlyMap<number, ReplayState>> {
  const { actor, why, target, limits = DEFAULT_LIMITS, acceptsPositions, schemas = null } = options;
  const claimed = await claimDeadLetters(client, ids);
  if (claimed.length === 0) return new Map();
  await resolveSchemas(
    schemas,
    claimed.map(({ record }) => record),
  );
  const all = claimed.map((one): DecodedDeadLetter => {
    return { claimed: one, record: one.record, decoded: decodeDeadLetter(one, schemas ?? NO_SCHEMAS) };
  });
  const [past, ofNow] = partition(all, (one) => isOfPastEpoch(one.claimed, registry.epochOf));
  const checks = { limits, acceptsAll: acceptsPositions };
  const { records: current, newest } = await enforceLimits(client, registry, ofNow, checks);
  const { changes, truncates } = sortRecords(current);
  const applied = await applyChanges(client, registry, { changes, truncates });
  const outcomes = outcomesOf([...past, ...current], applied, registry.epochOf);
  await settleReplayed(client, outcomes, registry, options);
  await countRecords(client, registry, { ...applied, topicPartition: REPLAYS, records: [], newest });

  const states = new Map(outcomes.map(({ id, state }) => [id, state]));
  const partitionOf = new Map(current.map((one) => [one.record, one.claimed.partition]));
  const superseded = await supersedeDeadLetters(client, registry, {
    records: current,
    partitionOf: ({ record }) => partitionOf.get(record) ?? null,
    applied,
    actor,
  });
  const open = outcomes.flatMap(({ id, state }) => (state === 'open' ? [id] : []));
  const outdated = await supersedeOutdated(client, open, actor);
  for (const id of [...superseded, ...outdated]) states.set(id, 'superseded');

  const idsOf = (state: ReplayState): number[] =>
    claimed.flatMap(({ id }) => (states.get(id) === state ? [id] : []));
  const detail = { replayed: idsOf('replayed'), superseded: idsOf('superseded'), open: idsOf('open') };
  await recordAudit(client, { actor, action: 'dead-letters replay', target, reason: why, detail });
  return states;
}
