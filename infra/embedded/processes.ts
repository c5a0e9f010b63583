import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

function outputOf(program: string, args: string[]): string | null {
  try {
    return (
      execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim() || null
    );
  } catch {
    return null;
  }
}

function readProc(pid: number, name: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return null;
  }
}

/**
 * When a process started, in the notation of the system; null if it does not exist. Id and start identify a process.
 * The id alone does not: systems reuse ids, containers soonest.
 */
export function startOf(pid: number): string | null {
  if (process.platform !== 'linux') return outputOf('ps', ['-o', 'lstart=', '-p', String(pid)]);
  const stat = readProc(pid, 'stat');
  // The name in parentheses may contain spaces and parentheses.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields === undefined || fields[0] === 'Z' ? null : (fields[19] ?? null);
}

/** The command line of a process; null if it does not exist or is a zombie. */
export function commandOf(pid: number): string | null {
  if (process.platform !== 'linux') return outputOf('ps', ['-o', 'command=', '-p', String(pid)]);
  return readProc(pid, 'cmdline')?.replaceAll('\0', ' ').trim() || null;
}

/** Sends a signal. A process that has ended is no error. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Polls a condition. @returns whether it held within `milliseconds` */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  milliseconds: number,
): Promise<boolean> {
  const deadline = Date.now() + milliseconds;
  while (!(await condition())) {
    if (Date.now() > deadline) return false;
    await delay(50);
  }
  return true;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const endings = new Set<() => void>();

function endAll(): void {
  for (const end of endings) end();
}

/** Does nothing if another listener shuts the process down. Else the process dies of the signal, as without a listener. */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  endAll();
  process.off(signal, onSignal);
  process.kill(process.pid, signal);
}

/**
 * Calls `end` when this process exits, or dies of a signal without another listener. `end` must be synchronous.
 *
 * @returns how to cancel it
 */
export function onSuddenEnd(end: () => void): () => void {
  if (endings.size === 0) {
    process.on('exit', endAll);
    for (const signal of SIGNALS) process.on(signal, onSignal);
  }
  endings.add(end);
  return () => {
    endings.delete(end);
    if (endings.size > 0) return;
    process.off('exit', endAll);
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
}
