import { existsSync, readFileSync } from 'node:fs';
import { readFile, realpath, rm } from 'node:fs/promises';
import { filesOf, urlOf } from './postgres-cluster.ts';
import { commandOf, signal, waitUntil } from './processes.ts';

/** The server that runs on this folder; null when none does, whatever its pid file says. */
function runningServer(folder: string): number | null {
  const { pid: file, cluster } = filesOf(folder);
  if (!existsSync(file)) return null;
  const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
  return pid > 0 && commandOf(pid)?.includes(cluster) ? pid : null;
}

/** Ends the server of a process that was killed. Call only while holding the folder. */
export async function stopLeftover(folder: string): Promise<void> {
  const pid = runningServer(folder);
  if (pid !== null) {
    const isGone = () => commandOf(pid)?.includes(filesOf(folder).cluster) !== true;
    signal(pid, 'SIGINT');
    if (!(await waitUntil(isGone, 30_000))) signal(pid, 'SIGQUIT');
    if (!(await waitUntil(isGone, 10_000)))
      throw new Error(`PostgreSQL of an earlier start (process ${pid}) on ${folder} does not stop`);
  }
  // PostgreSQL would take any process that has this id by now for its own.
  await rm(filesOf(folder).pid, { force: true });
}

/** The address of the embedded database that runs on `dataDir`; null when none does. */
export async function runningDatabaseUrl(dataDir: string): Promise<string | null> {
  if (!existsSync(dataDir)) return null;
  const folder = await realpath(dataDir);
  if (runningServer(folder) === null) return null;
  return urlOf(folder, Number(await readFile(filesOf(folder).port, 'utf8')));
}
