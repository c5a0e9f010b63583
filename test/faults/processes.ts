import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { pollUntil } from '../support/poll.ts';
import type { FaultPoint } from './fault-point.ts';

const KILL_AT = fileURLToPath(new URL('./fault-point.ts', import.meta.url));
const KEPT_OUTPUT = 20_000;
/** Bounds of the waits for a line and for the end of a process: far above what a busy machine needs. */
const LINE_MS = 45_000;
const END_MS = 90_000;

/** A process of the service, as an operator starts it. */
export interface Running {
  readonly child: ChildProcess;
  /** Its latest output. */
  output(): string;
  /** Empties `output`. */
  clearOutput(): void;
  hasEnded(): boolean;
  /**
   * Resolves once the output contains `text`.
   *
   * @throws Error with the output when the process ends first, or after 45 seconds
   */
  untilWritten(text: string): Promise<void>;
  /**
   * Resolves to the exit code, or the signal that ended it.
   *
   * @throws Error with the output after 90 seconds
   */
  untilEnded(): Promise<number | NodeJS.Signals>;
  signal(signal: NodeJS.Signals): void;
}

/**
 * Starts `node <entry> <args>`.
 *
 * @param entry path from the root of the project
 * @param fault where to kill or freeze the process
 */
export function startProcess(
  entry: string,
  env: Readonly<Record<string, string>>,
  { fault = null, args = [] }: { fault?: FaultPoint | null; args?: readonly string[] } = {},
): Running {
  const path = fileURLToPath(new URL(`../../${entry}`, import.meta.url));
  const preload = fault === null ? [] : ['--import', KILL_AT];
  const child = spawn(process.execPath, [...preload, path, ...args], {
    // kafkajs retries differently under NODE_ENV=test.
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
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const withOutput = (wait: Promise<unknown>) =>
    wait.catch((error: Error) => {
      throw new Error(`${error.message}; its last output:\n${output}`);
    });
  return {
    child,
    output: () => output,
    clearOutput() {
      output = '';
    },
    hasEnded,
    async untilWritten(text) {
      await withOutput(
        pollUntil(
          () => {
            if (output.includes(text)) return true;
            if (hasEnded()) throw new Error(`${entry} ended without writing "${text}"`);
            return false;
          },
          { what: `${entry} writes "${text}"`, timeoutMs: LINE_MS },
        ),
      );
    },
    async untilEnded() {
      await withOutput(pollUntil(hasEnded, { what: `${entry} ends`, timeoutMs: END_MS }));
      return child.signalCode ?? child.exitCode ?? 0;
    },
    signal(signal) {
      child.kill(signal);
    },
  };
}
