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
 * When a process started, in the system's own notation; null when there is none. With the id it names one
 * process for good, which the id alone does not: ids are used again, soonest in containers.
 */
export function startOf(pid: number): string | null {
  if (process.platform !== 'linux') return outputOf('ps', ['-o', 'lstart=', '-p', String(pid)]);
  const stat = readProc(pid, 'stat');
  // The name in parentheses may hold spaces and parentheses of its own.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields === undefined || fields[0] === 'Z' ? null : (fields[19] ?? null);
}

/** The command line of a process; null when there is none, or only its zombie. */
export function commandOf(pid: number): string | null {
  if (process.platform !== 'linux') return outputOf('ps', ['-o', 'command=', '-p', String(pid)]);
  return readProc(pid, 'cmdline')?.replaceAll('\0', ' ').trim() || null;
}

/** Sends a signal; a process that is gone already is no error. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Answers whether the condition held within `milliseconds`. */
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
