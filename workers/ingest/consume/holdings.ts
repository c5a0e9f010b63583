import type { Consumer } from 'kafkajs';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { backoffMs } from '../../backoff.ts';
import { type Place, readPositions, type StoredPosition } from '../apply/position.ts';
import { faultOf } from './fault.ts';
import { databaseGate, type Gate } from './gate.ts';
import { further, type Held, hold, type PartitionState, stateOf } from './partition-state.ts';
import { reportTrouble } from './report-trouble.ts';

/** Of partitions that wait alone. */
const RETRY_MS = {
  contention: { first: 100, most: 10_000 },
  code: { first: 1_000, most: 60_000 },
  // Only the stored position is looked at, which an operator may have moved.
  gap: { first: 2_000, most: 5_000 },
} as const;

export interface HoldingsOptions {
  readonly consumer: Pick<Consumer, 'seek' | 'pause' | 'resume'>;
  readonly pool: Pool;
  readonly log: Logger;
  readonly group: string;
}

/** The partitions this member reads, and what becomes of those that cannot go on. */
export interface Holdings {
  /** Takes over an assignment; nothing is fetched before the stored positions are known. */
  assign(assignment: Readonly<Record<string, readonly number[]>>): void;
  /** The partition, when its next batch may be taken in hand; it is to be released again. */
  take(topic: string, partition: number): Held | null;
  release(held: Held): void;
  /** Whether the partition is still held as it was found. */
  holds(held: Held): boolean;
  /** Lets go of the batch in hand: the partition, or with the database away all of them, are fetched again later. */
  fail(held: Held, error: unknown): void;
  succeed(held: Held): void;
  states(): PartitionState[];
  stop(): void;
}

interface Holding extends HoldingsOptions {
  readonly all: Map<string, Held>;
  readonly gate: Gate;
  isStopped: boolean;
}

export function holdPartitions(options: HoldingsOptions): Holdings {
  const all = new Map<string, Held>();
  const gate = databaseGate({
    log: options.log,
    onClose: () => pauseAll(holding),
    onRetry: () => open(holding, [...all.values()]),
  });
  const holding: Holding = { ...options, all, gate, isStopped: false };
  return {
    assign: (assignment) => assign(holding, assignment),
    take: (topic, partition) => take(holding, idOf({ topic, partition })),
    release: (held) => release(holding, held),
    holds: (held) => holds(holding, held),
    fail: (held, error) => fail(holding, held, error),
    succeed: (held) => succeed(holding, held),
    states: () => [...all.values()].map((held) => stateOf(held, gate.closedBy())),
    stop() {
      holding.isStopped = true;
      clearRetries(holding);
    },
  };
}

const idOf = ({ topic, partition }: Pick<Place, 'topic' | 'partition'>): string => `${topic}/${partition}`;

const holds = ({ isStopped, all }: Holding, held: Held): boolean =>
  !isStopped && all.get(idOf(held.place)) === held;

function assign(holding: Holding, assignment: Readonly<Record<string, readonly number[]>>): void {
  const { all, group } = holding;
  clearRetries(holding);
  const before = new Map(all);
  all.clear();
  for (const [topic, partitions] of Object.entries(assignment)) {
    for (const partition of partitions) {
      const place = { group, topic, partition };
      all.set(idOf(place), hold(place, before.get(idOf(place))?.trouble ?? null));
    }
  }
  pauseAll(holding);
  open(holding, [...all.values()]);
}

function take({ all, isStopped }: Holding, id: string): Held | null {
  const held = all.get(id);
  if (held === undefined || isStopped || held.isPaused || held.position === undefined) return null;
  held.isInHand = true;
  return held;
}

function release(holding: Holding, held: Held): void {
  held.isInHand = false;
  // Others were opened meanwhile, or its position has to be read again.
  const mayOpen = held.isPaused && held.retry === null && holding.gate.closedBy() === null;
  if (mayOpen && holds(holding, held)) open(holding, [held]);
}

function clearRetries({ all, gate }: Holding): void {
  for (const { retry } of all.values()) if (retry !== null) clearTimeout(retry);
  gate.cancel();
}

function pauseAll(holding: Holding): void {
  for (const held of holding.all.values()) pause(holding, held);
}

function pause({ consumer }: Holding, held: Held): void {
  if (held.isPaused) return;
  held.isPaused = true;
  consumer.pause([{ topic: held.place.topic, partitions: [held.place.partition] }]);
}

function open(holding: Holding, which: readonly Held[]): void {
  // A consumer that has just crashed cannot be steered; the one after it opens everything anew.
  openNow(holding, which).catch((error) => holding.log.debug({ err: error }, 'partitions cannot be opened'));
}

/** Reads where the partitions stand and lets those go on that need not wait longer. */
async function openNow(holding: Holding, which: readonly Held[]): Promise<void> {
  const { pool, group, gate, all } = holding;
  const isHeld = (held: Held): boolean => holds(holding, held);
  let stored: Map<string, StoredPosition>;
  try {
    stored = new Map((await readPositions(pool, group)).map((one) => [idOf(one), one]));
  } catch (error) {
    if (which.some(isHeld)) gate.close(error);
    return;
  }
  // Closed again meanwhile, or assigned anew.
  if (gate.isWaiting() || !which.some(isHeld)) return;
  gate.open();
  for (const held of which) {
    if (!isHeld(held) || held.isInHand || held.retry !== null) continue;
    const found = stored.get(idOf(held.place));
    if (isAtGap(held, found)) retryLater(holding, held, 'gap');
    else resume(holding, held, found);
  }
  if (![...all.values()].some(({ trouble }) => trouble?.fault === 'database')) gate.end();
}

const isAtGap = ({ trouble }: Held, stored: StoredPosition | undefined): boolean =>
  trouble?.fault === 'gap' && trouble.at === (stored?.position ?? null);

function resume({ consumer }: Holding, held: Held, stored: StoredPosition | undefined): void {
  held.position = stored?.position ?? null;
  held.movedAt = stored?.movedAt ?? null;
  held.next = held.position;
  held.lastDelete = null;
  // What could not be passed was passed after all: by a commit whose answer was lost, or by an operator.
  if (held.trouble !== null && held.trouble.at !== held.position) forgetTrouble(held);
  const { topic, partition } = held.place;
  // Where nothing was applied yet, the log is read from its start, wherever Kafka says the group stands.
  consumer.seek({ topic, partition, offset: String(held.position ?? 0) });
  held.isPaused = false;
  consumer.resume([{ topic, partitions: [partition] }]);
}

function retryLater(holding: Holding, held: Held, fault: keyof typeof RETRY_MS): number {
  const retryMs = Math.round(backoffMs(held.trouble?.attempts ?? 1, RETRY_MS[fault]));
  held.retry = setTimeout(() => {
    held.retry = null;
    // Behind a closed gate it is opened with all others.
    if (holding.gate.closedBy() === null) open(holding, [held]);
  }, retryMs);
  return retryMs;
}

function fail(holding: Holding, held: Held, error: unknown): void {
  const { log, gate } = holding;
  if (!holds(holding, held)) return;
  pause(holding, held);
  const fault = faultOf(error);
  if (fault === 'position') {
    log.warn({ ...held.place, at: held.position }, 'another consumer moved the position; it is read again');
    held.position = undefined;
    return;
  }
  held.trouble = { ...further(held.trouble, error), fault, at: held.position ?? null };
  if (fault === 'database') gate.close(error);
  else reportTrouble(log, held, error, retryLater(holding, held, fault));
}

function succeed({ log, gate }: Holding, held: Held): void {
  gate.end();
  if (held.trouble === null) return;
  const { since, attempts } = held.trouble;
  log.info({ ...held.place, since, attempts }, 'the partition goes on');
  forgetTrouble(held);
}

function forgetTrouble(held: Held): void {
  held.trouble = null;
  held.runningSince = new Date();
}
