import { execFileSync } from 'node:child_process';
import { expect } from 'vitest';
import { projections } from '../../projections/index.ts';
import { pollUntil } from '../support/poll.ts';
import { type Fault, MANY, SOME } from './fault.ts';
import type { FaultPoint } from './fault-point.ts';
import type { Running } from './processes.ts';
import type { FaultStage } from './stage.ts';
import { isApplied, untilApplied } from './verify.ts';

const POINT_MS = 60_000;

type Process = 'ingest' | 'projector';

/** Sends events until the process reaches its fault: its share of partitions and marks is not known beforehand. */
async function sendUntil(stage: FaultStage, isThere: () => boolean): Promise<void> {
  const sendMore = async () => {
    if (isThere()) return true;
    await stage.load.send(SOME);
    const isSettled = async () => isThere() || (await isApplied(stage.pool, stage.group, stage.load));
    await pollUntil(isSettled, { what: 'the events sent are applied', timeoutMs: POINT_MS });
    return isThere();
  };
  await pollUntil(sendMore, { what: 'the process reaches the point of its fault', timeoutMs: POINT_MS });
}

const startOf = (stage: FaultStage, process: Process, point?: FaultPoint) => (): Running =>
  process === 'ingest' ? stage.startIngest(point) : stage.startProjector(point);

/** Runs a further process, and kills it at the end. */
async function withProcess(start: () => Running, use: (running: Running) => Promise<void>): Promise<void> {
  const running = start();
  try {
    await use(running);
  } finally {
    running.signal('SIGKILL');
  }
}

/** Waits until a process works, or its fault has struck. */
const atWork = (running: Running, process: Process): Promise<unknown> =>
  Promise.race([
    running.untilWritten(process === 'ingest' ? 'consuming' : 'projecting').catch(() => {}),
    running.untilEnded(),
  ]);

/** A process of its own, killed at a statement, while another of its kind takes over. */
export const killed = (
  process: Process,
  { when, at, most = 3 }: Pick<FaultPoint, 'when' | 'at'> & { readonly most?: number },
): Fault => ({
  name: `${process} killed ${when} ${at}`,
  strike: (stage, random) =>
    withProcess(
      startOf(stage, process, { at, when, nth: 1 + random.below(most), signal: 'SIGKILL' }),
      async (running) => {
        await atWork(running, process);
        await sendUntil(stage, running.hasEnded);
        expect(await running.untilEnded()).toBe('SIGKILL');
      },
    ),
});

const isFrozen = ({ child }: Running): boolean =>
  execFileSync('ps', ['-o', 'stat=', '-p', String(child.pid)], { encoding: 'utf8' }).startsWith('T');

/**
 * An ingest worker that freezes until its group has reassigned its partitions, and then resumes.
 *
 * @param stopped what it logs when it finds that it lost its partitions
 */
export const ingestFrozen = (at: string, stopped: string): Fault => ({
  name: `ingest frozen before ${at}, resumed later`,
  strike: (stage, random) => {
    const point: FaultPoint = { at, when: 'before', nth: 1 + random.below(3), signal: 'SIGSTOP' };
    return withProcess(startOf(stage, 'ingest', point), async (running) => {
      await atWork(running, 'ingest');
      await sendUntil(stage, () => isFrozen(running));
      await untilApplied(stage.pool, stage.group, stage.load);
      running.clearOutput();
      running.signal('SIGCONT');
      await running.untilWritten(stopped);
      await stage.load.send(SOME);
      await stage.check();
      running.signal('SIGTERM');
      expect([await running.untilEnded(), running.output()]).toEqual([0, expect.anything()]);
    });
  },
});

export const projectorFrozen = (at: string): Fault => ({
  name: `projector frozen before ${at}, resumed later`,
  strike: (stage, random) => {
    const point: FaultPoint = { at, when: 'before', nth: 1 + random.below(3), signal: 'SIGSTOP' };
    return withProcess(startOf(stage, 'projector', point), async (running) => {
      await atWork(running, 'projector');
      await sendUntil(stage, () => isFrozen(running));
      // Its locks may block the others while it is frozen.
      await stage.load.send(SOME);
      running.signal('SIGCONT');
      await stage.check();
      running.signal('SIGTERM');
      expect([await running.untilEnded(), running.output()]).toEqual([0, expect.anything()]);
    });
  },
});

export const killedUnderLoad = (process: Process): Fault => ({
  name: `${process} killed under load`,
  async strike(stage) {
    const running = await stage.keep(process);
    await stage.load.send(MANY);
    running.signal('SIGKILL');
    await running.untilEnded();
    await stage.keep(process);
  },
});

export const joining = (process: Process): Fault => ({
  name: `${process} joined by another, which leaves`,
  strike: (stage) =>
    withProcess(startOf(stage, process), async (running) => {
      await stage.load.send(MANY);
      await atWork(running, process);
      await stage.load.send(MANY);
      running.signal('SIGTERM');
      expect([await running.untilEnded(), running.output()]).toEqual([0, expect.anything()]);
    }),
});

/** A build that is killed, then resumed or restarted, while events arrive. */
export const rebuildKilled = (when: FaultPoint['when'], at: string, most = 1): Fault => ({
  name: `rebuild killed ${when} ${at}`,
  async strike(stage, random) {
    const { name } = random.oneOf(projections);
    const nth = 1 + random.below(most);
    const killed = stage.startRebuild(name, { at, when, nth, signal: 'SIGKILL' });
    await stage.load.send(MANY);
    expect([await killed.untilEnded(), killed.output()]).toEqual(['SIGKILL', expect.anything()]);
    const again = stage.startRebuild(name);
    await stage.load.send(SOME);
    expect([await again.untilEnded(), again.output()]).toEqual([0, expect.anything()]);
  },
});
