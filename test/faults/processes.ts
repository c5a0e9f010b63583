import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { FaultPoint } from './kill-at.ts';

const KILL_AT = fileURLToPath(new URL('./kill-at.ts', import.meta.url));
const KEPT_OUTPUT = 20_000;

/** A process of the service, as an operator starts it. */
export interface Running {
  readonly child: ChildProcess;
  /** What it has written lately. */
  output(): string;
  /** Has `output` begin anew. */
  forget(): void;
  hasEnded(): boolean;
  /** Resolves once a line that holds `text` was written; rejects when the process ends before that. */
  said(text: string): Promise<void>;
  /** Resolves to the exit code, or the signal that ended it. */
  ended(): Promise<number | NodeJS.Signals>;
  signal(signal: NodeJS.Signals): void;
}

/**
 * Starts `node <entry> <args>`.
 *
 * @param entry path from the root of the project
 * @param fault where the process is to be struck
 */
export function startProcess(
  entry: string,
  env: Readonly<Record<string, string>>,
  { fault = null, args = [] }: { fault?: FaultPoint | null; args?: readonly string[] } = {},
): Running {
  const path = fileURLToPath(new URL(`../../${entry}`, import.meta.url));
  const preload = fault === null ? [] : ['--import', KILL_AT];
  const child = spawn(process.execPath, [...preload, path, ...args], {
    // Not as in a test: kafkajs retries otherwise there.
    env: {
      ...process.env,
      NODE_ENV: '',
      ...env,
      ...(fault === null ? {} : { FAULT_AT: JSON.stringify(fault) }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const keep = (chunk: Buffer) => {
    output = (output + chunk).slice(-KEPT_OUTPUT);
    child.emit('output');
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    child,
    output: () => output,
    forget() {
      output = '';
    },
    hasEnded,
    async said(text) {
      while (!output.includes(text)) {
        if (hasEnded()) throw new Error(`${entry} ended without saying "${text}":\n${output}`);
        const stop = new AbortController();
        const { signal } = stop;
        await Promise.race([once(child, 'output', { signal }), once(child, 'exit', { signal })]);
        stop.abort();
      }
    },
    async ended() {
      if (!hasEnded()) await once(child, 'exit');
      return child.signalCode ?? child.exitCode ?? 0;
    },
    signal(signal) {
      child.kill(signal);
    },
  };
}
