import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { startOf } from './processes.ts';

interface Holder {
  readonly pid: number;
  readonly start: string | null;
}

function readHolder(file: string): Holder | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

function isAlive(holder: Holder): boolean {
  const start = startOf(holder.pid);
  return start !== null && start === holder.start;
}

function tryLink(file: string, mine: string): boolean {
  try {
    // Atomic: the link appears together with its content.
    linkSync(mine, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Removes the file of a dead holder, but not one that a live process has just created. */
function evict(file: string, aside: string): void {
  try {
    renameSync(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const evicted = readHolder(aside);
  if (evicted !== null && isAlive(evicted)) tryLink(file, aside);
  rmSync(aside, { force: true });
}

/**
 * Locks a folder for this process. The lock of a process that died does not count.
 *
 * @returns how to release it
 * @throws if another live process holds it
 */
export function holdFolder(folder: string): () => void {
  const file = path.join(folder, 'holder.json');
  const mine = `${file}.${process.pid}`;
  writeFileSync(mine, JSON.stringify({ pid: process.pid, start: startOf(process.pid) } satisfies Holder));
  try {
    while (!tryLink(file, mine)) {
      const holder = readHolder(file);
      if (holder !== null && isAlive(holder))
        throw new Error(
          `${folder} is in use by process ${holder.pid}; stop it first, or choose another folder`,
        );
      evict(file, `${mine}.evicted`);
    }
  } finally {
    rmSync(mine, { force: true });
  }
  return () => rmSync(file, { force: true });
}
