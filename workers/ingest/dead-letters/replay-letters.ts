import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase, Pool } from 'pg';
import { recordAudit } from '../../../db/audit.ts';
import { transaction } from '../../../db/transaction.ts';
import type { Registry } from '../../../projections/registry.ts';
import { type AppliedChanges, applyChanges } from '../apply/apply-changes.ts';
import { retryClashes } from '../apply/retry-clashes.ts';
import { type LetterSelector, planLetters, portionsOf } from './select-letters.ts';
import { settleReplayed } from './settle-replayed.ts';
import { claimLetters, decodeLetter } from './stored-letter.ts';
import { supersedeLate, supersedeLetters } from './supersede.ts';
import { type Applied, isOfPastEpoch, type Outcome, type ReadLetter, verdictOf } from './verdict.ts';
import { keyOf, sortChanges, walk } from './walk.ts';

export interface ReplayOptions {
  readonly selector: LetterSelector;
  readonly ratePerSecond: number;
  /** Who replays and why, and what the audit is to call the selection. */
  readonly actor: string;
  readonly why: string;
  readonly target: string;
  readonly onProgress?: (done: number, total: number) => void;
}

/** What became of the letters that were open when the replay began. */
export interface Replayed {
  readonly replayed: number;
  /** Older than what is stored. */
  readonly superseded: number;
  /** Still at fault, with the violations of now. */
  readonly open: number;
  /** Settled by others meanwhile, or in the hands of another replay. */
  readonly elsewhere: number;
}

/** Letters in one transaction. */
const MOST_AT_ONCE = 300;

/**
 * Decodes open letters again, by the contracts of this code, and applies those that keep to them now as ingest applies
 * records, oldest first in each key. What is older than what is stored changes nothing. May run beside ingest and
 * beside another replay. Each transaction writes itself into the audit.
 */
export async function replayLetters(
  pool: Pool,
  registry: Registry,
  options: ReplayOptions,
): Promise<Replayed> {
  const { selector, ratePerSecond, onProgress } = options;
  await registry.readEpochs(pool);
  const planned = await planLetters(pool, selector);
  const outcomes = new Map<number, Outcome>();
  const startedAt = performance.now();
  let done = 0;
  for (const ids of portionsOf(planned, Math.min(MOST_AT_ONCE, Math.ceil(ratePerSecond / 2)))) {
    const portion = await retryClashes(
      () => transaction(pool, (client) => replayPortion(client, registry, ids, options)),
      () => registry.readEpochs(pool),
    );
    for (const [id, outcome] of portion) outcomes.set(id, outcome);
    done += ids.length;
    onProgress?.(done, planned.length);
    if (done < planned.length) await pause(pauseMs(done, performance.now() - startedAt, ratePerSecond));
  }
  const found = planned.map(({ id }) => outcomes.get(id));
  const count = (one: Outcome | undefined): number => found.filter((outcome) => outcome === one).length;
  return {
    replayed: count('replayed'),
    superseded: count('superseded'),
    open: count('open'),
    elsewhere: count(undefined),
  };
}

/** How long to wait after `done` letters in `elapsedMs`, so that the rate is not exceeded. */
export const pauseMs = (done: number, elapsedMs: number, ratePerSecond: number): number =>
  Math.max(0, (done / ratePerSecond) * 1_000 - elapsedMs);

async function replayPortion(
  client: ClientBase,
  registry: Registry,
  ids: readonly number[],
  { actor, why, target }: ReplayOptions,
): Promise<ReadonlyMap<number, Outcome>> {
  const letters = await claimLetters(client, ids);
  if (letters.length === 0) return new Map();
  const read = letters.map((letter): ReadLetter => ({ letter, ...decodeLetter(letter) }));
  const current = read.filter(({ letter }) => !isOfPastEpoch(letter, registry.epochOf));
  const { byKey, truncates } = sortChanges(current);
  const written = await applyChanges(client, [...byKey.values()].flat(), truncates, registry);
  const applied = appliedOf(written, byKey);
  const verdicts = read.map((one) => verdictOf(one, applied, registry.epochOf));
  await settleReplayed(client, verdicts, actor, why, registry);
  const outcomes = new Map(verdicts.map(({ id, outcome }) => [id, outcome]));
  for (const id of await supersedeOthers(client, current, written, outcomes, actor, registry))
    outcomes.set(id, 'superseded');
  const detail = idsByOutcome(letters, outcomes);
  await recordAudit(client, { actor, action: 'dead-letters replay', target, reason: why, detail });
  return outcomes;
}

function appliedOf(
  { settled, truncated, floorOf, refused }: AppliedChanges,
  byKey: ReturnType<typeof sortChanges>['byKey'],
): Applied {
  const taken = settled.flatMap(({ source, key, before }) => {
    const changes = byKey.get(keyOf({ source, key })) ?? [];
    return [...walk({ changes, before, floor: floorOf(source) }).taken];
  });
  return {
    taken: new Set([...taken, ...truncated]),
    missing: new Map(refused.map(({ change, missing }) => [change, missing])),
  };
}

/** Settles what was overtaken, of these letters and of others. @returns ids of the settled letters */
async function supersedeOthers(
  client: ClientBase,
  read: readonly ReadLetter[],
  written: AppliedChanges,
  outcomes: ReadonlyMap<number, Outcome>,
  actor: string,
  registry: Registry,
): Promise<number[]> {
  const placeOf = new Map(read.map(({ record, letter }) => [record, letter.place]));
  const overtaken = await supersedeLetters(
    client,
    read,
    ({ record }) => placeOf.get(record) ?? null,
    written,
    actor,
    registry,
  );
  const open = [...outcomes].flatMap(([id, outcome]) => (outcome === 'open' ? [id] : []));
  return [...overtaken, ...(await supersedeLate(client, open, actor))];
}

function idsByOutcome(
  letters: readonly { readonly id: number }[],
  outcomes: ReadonlyMap<number, Outcome>,
): Record<Outcome, number[]> {
  const idsOf = (one: Outcome): number[] =>
    letters.flatMap(({ id }) => (outcomes.get(id) === one ? [id] : []));
  return { replayed: idsOf('replayed'), superseded: idsOf('superseded'), open: idsOf('open') };
}
