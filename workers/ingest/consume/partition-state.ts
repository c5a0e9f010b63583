import type { Place } from '../apply/position.ts';
import type { Fault } from './fault.ts';
import type { LastDelete } from './known-tombstone.ts';

/** How it stands with a partition that this process reads. */
export interface PartitionState {
  readonly topic: string;
  readonly partition: number;
  /** `waiting` for what passes by itself, `stopped` for what takes an operator or other code. */
  readonly state: 'running' | 'waiting' | 'stopped';
  /** Since when it is so. */
  readonly since: Date;
  /** What keeps it from running; null while nothing does. */
  readonly reason: string | null;
  /** Tries that failed since then. */
  readonly attempts: number;
}

/** A row of failures. */
export interface Trouble {
  readonly since: Date;
  readonly reason: string;
  readonly attempts: number;
}

/** What keeps one partition from its next record. */
export interface PartitionTrouble extends Trouble {
  readonly fault: Fault;
  /** The position that cannot be passed. */
  readonly at: number | null;
}

/** A partition that this process reads. */
export interface Held {
  readonly place: Place;
  /** Offset of the next record to apply; null where nothing was applied yet, undefined while it is not known. */
  position: number | null | undefined;
  /** When the position was reached, as the database tells; null once this process has moved it. */
  movedAt: Date | null;
  /** Where the next fetch begins: beyond the position where no record lies between; null for wherever the log starts. */
  next: number | null;
  /** The delete that this process applied last before the position, whose tombstone comes next. */
  lastDelete: LastDelete | null;
  isPaused: boolean;
  /** A batch is being applied, which moves the position by itself. */
  isInHand: boolean;
  /** The next try, while it has to be waited for. */
  retry: NodeJS.Timeout | null;
  trouble: PartitionTrouble | null;
  runningSince: Date;
}

export const hold = (place: Place, trouble: PartitionTrouble | null): Held => ({
  place,
  position: undefined,
  movedAt: null,
  next: null,
  lastDelete: null,
  isPaused: false,
  isInHand: false,
  retry: null,
  trouble,
  runningSince: new Date(),
});

/** The next failure in a row. */
export const further = (before: Trouble | null, error: unknown): Trouble => ({
  since: before?.since ?? new Date(),
  reason: error instanceof Error ? error.message : String(error),
  attempts: (before?.attempts ?? 0) + 1,
});

/** @param outage why no partition can go on; null while that is not so */
export function stateOf(held: Held, outage: Trouble | null): PartitionState {
  const { topic, partition } = held.place;
  const { trouble } = held;
  if (trouble !== null && (trouble.fault === 'gap' || trouble.fault === 'code'))
    return { topic, partition, state: 'stopped', ...told(trouble) };
  const waitsFor = outage ?? trouble;
  if (waitsFor !== null) return { topic, partition, state: 'waiting', ...told(waitsFor) };
  const since = held.runningSince;
  return held.position === undefined
    ? { topic, partition, state: 'waiting', since, reason: 'its position is being read', attempts: 0 }
    : { topic, partition, state: 'running', since, reason: null, attempts: 0 };
}

const told = ({ since, reason, attempts }: Trouble): Trouble => ({ since, reason, attempts });
