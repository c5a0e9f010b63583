import type { TopicPartition } from '../apply/position.ts';
import type { LastDelete } from './decode-messages.ts';
import type { FailureKind } from './failure-kind.ts';

/** The state of a partition that this process reads. */
export interface PartitionState {
  readonly topic: string;
  readonly partition: number;
  /** `waiting` for a failure that passes on its own, `stopped` for one that needs an operator or other code. */
  readonly state: 'running' | 'waiting' | 'stopped';
  readonly since: Date;
  /** Why it is not running; null while it is. */
  readonly reason: string | null;
  /** Failed attempts since then. */
  readonly attempts: number;
}

/** Failures in a row. */
export interface FailureStreak {
  readonly since: Date;
  readonly reason: string;
  readonly attempts: number;
}

/** Why one partition does not reach its next record. */
export interface PartitionFailures extends FailureStreak {
  readonly kind: FailureKind;
  /** The position at which it failed. */
  readonly at: number | null;
}

/** A partition that this process reads. */
export interface AssignedPartition {
  readonly topicPartition: TopicPartition;
  /** Offset of the next record to apply; null if none was applied yet, undefined while it is unknown. */
  position: number | null | undefined;
  /** When the position was reached, as stored; null once this process has moved it. */
  movedAt: Date | null;
  /** Where the next fetch begins: beyond the position if no record is between them; null for the start of the log. */
  next: number | null;
  /** The delete that this process applied last before the position; its tombstone comes next. */
  lastDelete: LastDelete | null;
  isPaused: boolean;
  /** A batch is being applied and moves the position. */
  isBusy: boolean;
  /** The scheduled retry. */
  retry: NodeJS.Timeout | null;
  failures: PartitionFailures | null;
  runningSince: Date;
}

export const newAssignedPartition = (
  topicPartition: TopicPartition,
  failures: PartitionFailures | null,
): AssignedPartition => ({
  topicPartition,
  position: undefined,
  movedAt: null,
  next: null,
  lastDelete: null,
  isPaused: false,
  isBusy: false,
  retry: null,
  failures,
  runningSince: new Date(),
});

export const addFailure = (before: FailureStreak | null, error: unknown): FailureStreak => ({
  since: before?.since ?? new Date(),
  reason: error instanceof Error ? error.message : String(error),
  attempts: (before?.attempts ?? 0) + 1,
});

/** @param outage why all partitions wait; null if they do not */
export function stateOf(assigned: AssignedPartition, outage: FailureStreak | null): PartitionState {
  const { topic, partition } = assigned.topicPartition;
  const { failures } = assigned;
  if (failures !== null && (failures.kind === 'gap' || failures.kind === 'code'))
    return { topic, partition, state: 'stopped', ...streakOf(failures) };
  const waitsFor = outage ?? failures;
  if (waitsFor !== null) return { topic, partition, state: 'waiting', ...streakOf(waitsFor) };
  const since = assigned.runningSince;
  return assigned.position === undefined
    ? { topic, partition, state: 'waiting', since, reason: 'its position is being read', attempts: 0 }
    : { topic, partition, state: 'running', since, reason: null, attempts: 0 };
}

const streakOf = ({ since, reason, attempts }: FailureStreak): FailureStreak => ({ since, reason, attempts });
