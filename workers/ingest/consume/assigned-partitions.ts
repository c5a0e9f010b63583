import type { Consumer } from 'kafkajs';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { backoffMs } from '../../../infra/runtime/retry.ts';
import { type PartitionId, readPositions, type StoredPosition } from '../apply/position.ts';
import { type DatabaseGate, databaseGate } from './database-gate.ts';
import { failureKindOf } from './failure-kind.ts';
import {
  type AssignedPartition,
  addFailure,
  newAssignedPartition,
  type PartitionState,
  stateOf,
} from './partition-state.ts';
import { reportFailure } from './report-failure.ts';

/** For partitions that wait while the others run. */
const BACKOFF = {
  contention: { firstMs: 100, maxMs: 10_000 },
  schemas: { firstMs: 200, maxMs: 10_000 },
  code: { firstMs: 1_000, maxMs: 60_000 },
  // The retry only reads the stored position, which an operator may have moved.
  gap: { firstMs: 2_000, maxMs: 5_000 },
} as const;

export interface AssignmentOptions {
  readonly consumer: Pick<Consumer, 'seek' | 'pause' | 'resume'>;
  readonly pool: Pool;
  readonly log: Logger;
  readonly group: string;
  /** A partition continues at its stored position. */
  readonly onOpened: (partition: PartitionId, position: number) => void;
}

/** The partitions that this member reads. It pauses those that failed and resumes them later. */
export interface PartitionAssignment {
  /** Replaces the assignment. Nothing is fetched before the stored positions are known. */
  assign(assignment: Readonly<Record<string, readonly number[]>>): void;
  /** The partition, if its next batch may be applied now. `endBatch` must follow. */
  beginBatch(topic: string, partition: number): AssignedPartition | null;
  endBatch(assigned: AssignedPartition): void;
  /** Whether the partition has stayed assigned since its batch began. */
  isAssigned(assigned: AssignedPartition): boolean;
  /** Pauses the partition, or all of them if the database failed. Their records are fetched again later. */
  fail(assigned: AssignedPartition, error: unknown): void;
  succeed(assigned: AssignedPartition): void;
  states(): PartitionState[];
  stop(): void;
}

interface Assignment extends AssignmentOptions {
  readonly all: Map<string, AssignedPartition>;
  readonly gate: DatabaseGate;
  isStopped: boolean;
}

export function assignedPartitions(options: AssignmentOptions): PartitionAssignment {
  const all = new Map<string, AssignedPartition>();
  const gate = databaseGate({
    log: options.log,
    onClose: () => pauseAll(assignment),
    onRetry: () => open(assignment, [...all.values()]),
  });
  const assignment: Assignment = { ...options, all, gate, isStopped: false };
  return {
    assign: (partitions) => assign(assignment, partitions),
    beginBatch: (topic, partition) => beginBatch(assignment, { topic, partition }),
    endBatch: (assigned) => endBatch(assignment, assigned),
    isAssigned: (assigned) => isAssigned(assignment, assigned),
    fail: (assigned, error) => fail(assignment, assigned, error),
    succeed: (assigned) => succeed(assignment, assigned),
    states: () => [...all.values()].map((assigned) => stateOf(assigned, gate.closedBy())),
    stop() {
      assignment.isStopped = true;
      clearRetries(assignment);
    },
  };
}

const idOf = ({ topic, partition }: PartitionId): string => `${topic}/${partition}`;

const isAssigned = ({ isStopped, all }: Assignment, assigned: AssignedPartition): boolean =>
  !isStopped && all.get(idOf(assigned.topicPartition)) === assigned;

function assign(assignment: Assignment, partitions: Readonly<Record<string, readonly number[]>>): void {
  const { all, group } = assignment;
  clearRetries(assignment);
  const before = new Map(all);
  all.clear();
  for (const [topic, numbers] of Object.entries(partitions)) {
    for (const partition of numbers) {
      const topicPartition = { group, topic, partition };
      const id = idOf(topicPartition);
      all.set(id, newAssignedPartition(topicPartition, before.get(id)?.failures ?? null));
    }
  }
  pauseAll(assignment);
  open(assignment, [...all.values()]);
}

function beginBatch({ all, isStopped }: Assignment, partition: PartitionId): AssignedPartition | null {
  const assigned = all.get(idOf(partition));
  if (assigned === undefined || isStopped || assigned.isPaused || assigned.position === undefined)
    return null;
  assigned.isBusy = true;
  return assigned;
}

function endBatch(assignment: Assignment, assigned: AssignedPartition): void {
  assigned.isBusy = false;
  // The others were opened during the batch, or the position must be read again.
  const mayOpen = assigned.isPaused && assigned.retry === null && assignment.gate.closedBy() === null;
  if (mayOpen && isAssigned(assignment, assigned)) open(assignment, [assigned]);
}

function clearRetries({ all, gate }: Assignment): void {
  for (const { retry } of all.values()) if (retry !== null) clearTimeout(retry);
  gate.cancel();
}

function pauseAll(assignment: Assignment): void {
  for (const assigned of assignment.all.values()) pause(assignment, assigned);
}

function pause({ consumer }: Assignment, assigned: AssignedPartition): void {
  if (assigned.isPaused) return;
  assigned.isPaused = true;
  const { topic, partition } = assigned.topicPartition;
  consumer.pause([{ topic, partitions: [partition] }]);
}

function open(assignment: Assignment, which: readonly AssignedPartition[]): void {
  // A consumer that has just crashed throws; the next one opens all partitions.
  openNow(assignment, which).catch((error) => assignment.log.debug({ err: error }, 'cannot open partitions'));
}

/** Reads the stored positions and resumes the partitions that need not wait longer. */
async function openNow(assignment: Assignment, which: readonly AssignedPartition[]): Promise<void> {
  const { pool, group, gate, all } = assignment;
  const isCurrent = (assigned: AssignedPartition): boolean => isAssigned(assignment, assigned);
  let stored: Map<string, StoredPosition>;
  try {
    stored = new Map((await readPositions(pool, group)).map((one) => [idOf(one), one]));
  } catch (error) {
    if (which.some(isCurrent)) gate.close(error);
    return;
  }
  // During the query the gate was closed again, or the partitions were assigned again.
  if (gate.isWaiting() || !which.some(isCurrent)) return;
  gate.open();
  for (const assigned of which) {
    if (!isCurrent(assigned) || assigned.isBusy || assigned.retry !== null) continue;
    const found = stored.get(idOf(assigned.topicPartition));
    if (isAtGap(assigned, found)) retryLater(assignment, assigned, 'gap');
    else resume(assignment, assigned, found);
  }
  if (![...all.values()].some(({ failures }) => failures?.kind === 'database')) gate.end();
}

const isAtGap = ({ failures }: AssignedPartition, stored: StoredPosition | undefined): boolean =>
  failures?.kind === 'gap' && failures.at === (stored?.position ?? null);

function resume(
  { consumer, onOpened }: Assignment,
  assigned: AssignedPartition,
  stored: StoredPosition | undefined,
): void {
  assigned.position = stored?.position ?? null;
  assigned.movedAt = stored?.movedAt ?? null;
  assigned.next = assigned.position;
  assigned.lastDelete = null;
  // The position has moved after all: by a commit whose response was lost, or by an operator.
  if (assigned.failures !== null && assigned.failures.at !== assigned.position) clearFailures(assigned);
  const { topic, partition } = assigned.topicPartition;
  // Without a stored position the log is read from its start, whatever Kafka's committed offset is.
  consumer.seek({ topic, partition, offset: String(assigned.position ?? 0) });
  assigned.isPaused = false;
  consumer.resume([{ topic, partitions: [partition] }]);
  if (assigned.position !== null) onOpened(assigned.topicPartition, assigned.position);
}

function retryLater(assignment: Assignment, assigned: AssignedPartition, kind: keyof typeof BACKOFF): number {
  const retryMs = Math.round(backoffMs(assigned.failures?.attempts ?? 1, BACKOFF[kind]));
  assigned.retry = setTimeout(() => {
    assigned.retry = null;
    // A closed gate opens all partitions together.
    if (assignment.gate.closedBy() === null) open(assignment, [assigned]);
  }, retryMs);
  return retryMs;
}

function fail(assignment: Assignment, assigned: AssignedPartition, error: unknown): void {
  const { log, gate } = assignment;
  if (!isAssigned(assignment, assigned)) return;
  pause(assignment, assigned);
  const { topicPartition, position } = assigned;
  const kind = failureKindOf(error);
  if (kind === 'position') {
    log.warn({ ...topicPartition, at: position }, 'another consumer moved the position; it is read again');
    assigned.position = undefined;
    return;
  }
  assigned.failures = { ...addFailure(assigned.failures, error), kind, at: position ?? null };
  if (kind === 'database') gate.close(error);
  else reportFailure(log, assigned, { error, retryMs: retryLater(assignment, assigned, kind) });
}

function succeed({ log, gate }: Assignment, assigned: AssignedPartition): void {
  gate.end();
  if (assigned.failures === null) return;
  const { since, attempts } = assigned.failures;
  log.info({ ...assigned.topicPartition, since, attempts }, 'the partition continues');
  clearFailures(assigned);
}

function clearFailures(assigned: AssignedPartition): void {
  assigned.failures = null;
  assigned.runningSince = new Date();
}
