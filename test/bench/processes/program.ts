import { type ChildProcess, fork, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Cleanup } from '../cleanup.ts';

export interface ProgramOptions {
  readonly name: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Of Node, as in the command that an operator starts the program with. */
  readonly flags?: readonly string[];
  /** Folder for a CPU profile. */
  readonly profiles?: string | null;
  readonly cleanup: Cleanup;
}

export interface Program {
  readonly pid: number;
  /** Ends the process in its own good order, so that a profile is written. */
  stop(): Promise<void>;
}

const READY_MS = 120_000;
const REPOSITORY = new URL('../../../', import.meta.url);

const nodeFlags = ({ name, flags = [], profiles }: ProgramOptions): string[] => [
  ...flags,
  ...(profiles ? ['--cpu-prof', `--cpu-prof-dir=${profiles}`, `--cpu-prof-name=${name}.cpuprofile`] : []),
];

/**
 * Starts one of the system's programs and waits for the log line that says it is ready.
 *
 * @param path of the program in the repository
 * @param isReady recognizes that line by its message
 */
export async function startProgram(
  path: string,
  isReady: (message: string) => boolean,
  options: ProgramOptions,
): Promise<Program & { readonly line: Readonly<Record<string, unknown>> }> {
  const file = fileURLToPath(new URL(path, REPOSITORY));
  const child = spawn(process.execPath, [...nodeFlags(options), file], {
    env: { ...process.env, LOG_LEVEL: 'info', ...options.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const program = endable(child, options.cleanup, () => child.kill('SIGTERM'));
  let timer: NodeJS.Timeout | undefined;
  const line = await new Promise<Record<string, unknown>>((resolve, reject) => {
    const expire = () => reject(new Error(`${path} was not ready within ${READY_MS / 1_000} s`));
    timer = setTimeout(expire, READY_MS);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${path} ended with ${code} before it was ready`)));
    createInterface({ input: child.stdout }).on('line', (text) => {
      const entry: Record<string, unknown> = JSON.parse(text);
      if (Number(entry.level) >= 40) process.stderr.write(`${options.name}: ${text}\n`);
      if (isReady(String(entry.msg))) resolve(entry);
    });
  }).finally(() => clearTimeout(timer));
  return { ...program, line };
}

/** A process of the benchmark's own, which takes one job after another. */
export interface Worker<Job, Result> extends Program {
  run(job: Job): Promise<Result>;
}

/** @param file of a program that calls `answerJobs`, beside this one */
export function startWorker<Job extends object, Result>(
  file: string,
  options: ProgramOptions,
): Worker<Job, Result> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), [], {
    execArgv: nodeFlags(options),
    env: { ...process.env, ...options.env },
    serialization: 'advanced',
  });
  const program = endable(child, options.cleanup, () => child.connected && child.disconnect());
  return {
    ...program,
    run: (job) =>
      new Promise((resolve, reject) => {
        const onExit = (code: number | null) => reject(new Error(`${file} ended with ${code}`));
        child.once('exit', onExit);
        child.once('message', (message: { result?: Result; error?: string }) => {
          child.off('exit', onExit);
          if (message.error === undefined) resolve(message.result as Result);
          else reject(new Error(`${file}: ${message.error}`));
        });
        child.send(job);
      }),
  };
}

const PATIENCE_MS = 20_000;

function endable(child: ChildProcess, cleanup: Cleanup, end: () => void): Program {
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    end();
    const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
    await exited;
    clearTimeout(timer);
  };
  cleanup.add(stop);
  return { pid: child.pid ?? 0, stop };
}
