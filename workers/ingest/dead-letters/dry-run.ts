import type { ClientBase, Pool } from 'pg';
import { int8Array } from '../../../db/arrays.ts';
import { rolledBackTransaction } from '../../../db/transaction.ts';
import { type Registry, registerSources } from '../../../projections/engine/registry.ts';
import { retryClashes } from '../apply/ingest-batch.ts';
import type { DeadLetterState, DeadLetterViolation } from './dead-letter.ts';
import { type ReplayRules, replayBatch } from './replay-batch.ts';
import { REPLAY_BATCH } from './replay-dead-letters.ts';
import type { ReplayState } from './replay-outcome.ts';
import {
  countSettled,
  type DeadLetterSelector,
  type PlannedReplay,
  planReplay,
  replayBatches,
} from './select-dead-letters.ts';

/**
 * What a replay would do: apply the change, leave a dead letter again, find a newer stored row, or leave the dead letter
 * to the process that has it locked. The other outcomes are the states of settled dead letters.
 */
type DryRunOutcome = 'apply' | 'again' | 'older' | 'elsewhere' | Exclude<DeadLetterState, 'open'>;

/** Dead letters of one outcome. */
export interface DryRunLine {
  readonly outcome: DryRunOutcome;
  readonly table: string | null;
  /** Of those that would be dead letters again, as `field: reason`. */
  readonly violations: readonly string[];
  readonly deadLetters: number;
  /** The first few ids; none for settled dead letters. */
  readonly samples: number[];
}

const SAMPLES = 3;
const AUDIT = { actor: 'dry run', why: 'dry run', target: 'dry run' };
const OUTCOMES: Readonly<Record<ReplayState, DryRunOutcome>> = {
  replayed: 'apply',
  open: 'again',
  superseded: 'older',
};

/** Reports what a replay would do now, by replaying in transactions that roll back. */
export async function dryRunReplay(
  pool: Pool,
  selector: DeadLetterSelector,
  rules: ReplayRules = {},
): Promise<DryRunLine[]> {
  // A registry of its own, since the rolled-back transactions change what a registry caches.
  const registry = await registerSources(pool);
  const planned = await planReplay(pool, selector);
  const settled = await countSettled(pool, selector);
  const lines = new Map<string, DryRunLine>();
  for (const part of independentParts(planned)) {
    const results = await retryClashes(
      () => rolledBackTransaction(pool, (client) => replayPart(client, registry, part, rules)),
      () => registry.readEpochs(pool),
    );
    for (const result of results) add(lines, result);
  }
  return [
    ...lines.values(),
    ...settled.map(({ state, table, deadLetters }): DryRunLine => {
      return { outcome: state, table, violations: [], deadLetters, samples: [] };
    }),
  ];
}

/**
 * Parts whose replays do not depend on each other, so that each can roll back before the next and locks stay short. A
 * part ends between two keys. A dead letter without a readable key may concern any key, and then all are one part.
 */
function* independentParts(planned: readonly PlannedReplay[]): Generator<readonly PlannedReplay[]> {
  const hasUnknownKey = planned.some(({ group }) => group === null);
  for (let start = 0; start < planned.length; ) {
    let end = hasUnknownKey ? planned.length : Math.min(start + REPLAY_BATCH, planned.length);
    while (end < planned.length && planned[end]?.group === planned[end - 1]?.group) end++;
    yield planned.slice(start, end);
    start = end;
  }
}

interface DryRunResult {
  readonly id: number;
  readonly table: string | null;
  readonly outcome: DryRunOutcome;
  readonly violations: readonly string[];
}

async function replayPart(
  client: ClientBase,
  registry: Registry,
  part: readonly PlannedReplay[],
  rules: ReplayRules,
): Promise<DryRunResult[]> {
  const states = new Map<number, ReplayState>();
  for (const ids of replayBatches(part, REPLAY_BATCH))
    for (const [id, state] of await replayBatch(client, registry, ids, { ...AUDIT, ...rules }))
      states.set(id, state);
  const open = part.filter(({ id }) => states.get(id) === 'open').map(({ id }) => id);
  const { rows } = await client.query<{ id: string; violations: readonly DeadLetterViolation[] }>(
    'select id, violations from ingest.dead_letter where id = any($1::int8[])',
    [int8Array(open)],
  );
  const violations = new Map(rows.map((row) => [Number(row.id), row.violations]));
  return part.map(({ id, table }) => {
    const state = states.get(id);
    return {
      id,
      table,
      outcome: state === undefined ? 'elsewhere' : OUTCOMES[state],
      violations: (violations.get(id) ?? []).map(({ field, reason }) => `${field}: ${reason}`),
    };
  });
}

function add(lines: Map<string, DryRunLine>, { id, table, outcome, violations }: DryRunResult): void {
  const group = JSON.stringify([outcome, table, violations]);
  const line = lines.get(group) ?? { outcome, table, violations, deadLetters: 0, samples: [] };
  if (line.samples.length < SAMPLES) line.samples.push(id);
  lines.set(group, { ...line, deadLetters: line.deadLetters + 1 });
}
