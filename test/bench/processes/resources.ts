import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Memory that a process holds, in MiB. */
export function residentMemory(pid: number): number {
  if (process.platform !== 'linux')
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1_024;
  const kilobytes = /VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1_024;
}

const TICK_MS = 10;

/** Processor time that a process has used so far, in milliseconds; null if the system does not report it. */
export function processorTime(pid: number): number | null {
  const stat = readStat(pid);
  return stat === null ? null : stat.own;
}

/**
 * Processor time that a server on this machine has used so far in all its processes, in milliseconds.
 *
 * @param session process of a session of the server: it is left out
 * @returns null if the system does not report it
 */
export function serverProcessorTime(session: number): number | null {
  const server = readStat(session)?.parent;
  const root = server === undefined ? null : readStat(server);
  if (root === null) return null;
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const children = pids.flatMap((pid) => readStat(Number(pid)) ?? []);
  return children.reduce(
    (sum, { pid, parent, own }) => (parent === server && pid !== session ? sum + own : sum),
    root.own + root.ofEnded,
  );
}

interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  /** Milliseconds. */
  readonly own: number;
  /** Of its children that have ended. */
  readonly ofEnded: number;
}

function readStat(pid: number): ProcessStat | null {
  if (process.platform !== 'linux') return null;
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // It has ended, or runs on another machine.
    return null;
  }
  // The name in parentheses may hold spaces and parentheses of its own.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [1, 11, 12, 13, 14].map(
    (index) => fields[index],
  );
  return { pid, parent, own: (user + system) * TICK_MS, ofEnded: (endedUser + endedSystem) * TICK_MS };
}
