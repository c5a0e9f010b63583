import { execFileSync } from 'node:child_process';
import { expect, vi } from 'vitest';
import { projections } from '../../projections/index.ts';
import { type Fault, MANY, SOME } from './fault.ts';
import type { FaultPoint } from './kill-at.ts';
import type { Running } from './processes.ts';
import type { Stage } from './stage.ts';
import { isApplied, untilApplied } from './verify.ts';

const WAIT = { timeout: 60_000, interval: 50 };

type Process = 'ingest' | 'projector';

/** Sends until the struck process is where it is struck: which partitions and marks it gets, others decide too. */
async function sendUntil(stage: Stage, isThere: () => boolean): Promise<void> {
  const deadline = Date.now() + WAIT.timeout;
  while (!isThere()) {
    if (Date.now() > deadline) throw new Error('the process did not come to the point where it is struck');
    await stage.load.send(SOME);
    await vi.waitUntil(async () => isThere() || (await isApplied(stage.pool, stage.group, stage.load)), WAIT);
  }
}

/** A process beside those that are kept, gone at the end whatever happens. */
async function withProcess(
  stage: Stage,
  process: Process,
  point: FaultPoint | undefined,
  use: (running: Running) => Promise<void>,
): Promise<void> {
  const running = process === 'ingest' ? stage.startIngest(point) : stage.startProjector(point);
  try {
    await use(running);
  } finally {
    running.signal('SIGKILL');
  }
}

/** Waits until a process is at work, or already struck. */
const atWork = (running: Running, process: Process): Promise<unknown> =>
  Promise.race([
    running.said(process === 'ingest' ? 'consuming' : 'projecting').catch(() => {}),
    running.ended(),
  ]);

/** A process of its own, killed at a statement, while another of its kind takes over. */
export const killed = (process: Process, when: FaultPoint['when'], at: string, most = 3): Fault => ({
  name: `${process} killed ${when} ${at}`,
  strike: (stage, random) =>
    withProcess(
      stage,
      process,
      { at, when, nth: 1 + random.below(most), signal: 'SIGKILL' },
      async (running) => {
        await atWork(running, process);
        await sendUntil(stage, running.hasEnded);
        expect(await running.ended()).toBe('SIGKILL');
      },
    ),
});

const isFrozen = ({ child }: Running): boolean =>
  execFileSync('ps', ['-o', 'stat=', '-p', String(child.pid)], { encoding: 'utf8' }).startsWith('T');

/**
 * An ingest worker that stands still until the group has long given its partitions away, and then goes on where it
 * stood.
 *
 * @param stopped what it says when it finds that it may not write any more
 */
export const ingestFrozen = (at: string, stopped: string): Fault => ({
  name: `ingest frozen before ${at}, awake again later`,
  strike: (stage, random) => {
    const point: FaultPoint = { at, when: 'before', nth: 1 + random.below(3), signal: 'SIGSTOP' };
    return withProcess(stage, 'ingest', point, async (running) => {
      await atWork(running, 'ingest');
      await sendUntil(stage, () => isFrozen(running));
      await untilApplied(stage.pool, stage.group, stage.load);
      running.forget();
      running.signal('SIGCONT');
      await running.said(stopped);
      await stage.load.send(SOME);
      await stage.check();
      running.signal('SIGTERM');
      expect([await running.ended(), running.output()]).toEqual([0, expect.anything()]);
    });
  },
});

export const projectorFrozen = (at: string): Fault => ({
  name: `projector frozen before ${at}, awake again later`,
  strike: (stage, random) => {
    const point: FaultPoint = { at, when: 'before', nth: 1 + random.below(3), signal: 'SIGSTOP' };
    return withProcess(stage, 'projector', point, async (running) => {
      await atWork(running, 'projector');
      await sendUntil(stage, () => isFrozen(running));
      // What it holds may keep others waiting for as long as it stands.
      await stage.load.send(SOME);
      running.signal('SIGCONT');
      await stage.check();
      running.signal('SIGTERM');
      expect([await running.ended(), running.output()]).toEqual([0, expect.anything()]);
    });
  },
});

export const killedUnderLoad = (process: Process): Fault => ({
  name: `${process} killed under load`,
  async strike(stage) {
    const running = await stage.keep(process);
    await stage.load.send(MANY);
    running.signal('SIGKILL');
    await running.ended();
    await stage.keep(process);
  },
});

export const joining = (process: Process): Fault => ({
  name: `${process} joined by another, which leaves again`,
  strike: (stage) =>
    withProcess(stage, process, undefined, async (running) => {
      await stage.load.send(MANY);
      await atWork(running, process);
      await stage.load.send(MANY);
      running.signal('SIGTERM');
      expect([await running.ended(), running.output()]).toEqual([0, expect.anything()]);
    }),
});

/** A build that is killed, and taken up or begun again, while events go on. */
export const rebuildKilled = (when: FaultPoint['when'], at: string, most = 1): Fault => ({
  name: `rebuild killed ${when} ${at}`,
  async strike(stage, random) {
    const { name } = random.oneOf(projections);
    const nth = 1 + random.below(most);
    const killed = stage.startRebuild(name, { at, when, nth, signal: 'SIGKILL' });
    await stage.load.send(MANY);
    expect([await killed.ended(), killed.output()]).toEqual(['SIGKILL', expect.anything()]);
    const again = stage.startRebuild(name);
    await stage.load.send(SOME);
    expect([await again.ended(), again.output()]).toEqual([0, expect.anything()]);
  },
});
