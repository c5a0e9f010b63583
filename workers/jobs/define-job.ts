import type { Static, TObject } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { Pool } from 'pg';
import type { Logger } from 'pino';

/** The outcome of a run, in a few plain facts. */
export type JobResult = Readonly<Record<string, string | number | boolean | null>>;

/** Progress of a run. `rate` is in units a second, `eta` in seconds; null while unknown. */
export interface JobProgress {
  readonly done: number;
  readonly total: number;
  readonly rate: number | null;
  readonly eta: number | null;
}

export interface JobContext {
  readonly pool: Pool;
  readonly log: Logger;
  /** Aborts when the run must end: it timed out, the worker stops, or the run lost its lock. */
  readonly signal: AbortSignal;
  /** Whether an earlier run of the same request broke off: it failed, was put back into the queue or lost its worker. */
  readonly resumed: boolean;
  /** Reports progress; call it as often as you like. */
  progress(done: number, total: number): void;
}

interface Declared<Schema extends TObject> {
  readonly name: string;
  /** A cron pattern in UTC; null if the job runs on demand only. */
  readonly schedule: string | null;
  /** A notification on this database channel also runs the job, and so does the start of a worker. */
  readonly wakesOn?: string;
  /** Attempts before the job counts as failed. */
  readonly attempts: number;
  /** Milliseconds before the second attempt; each further pause doubles, less a random part of up to half. */
  readonly backoff: number;
  /** Milliseconds after which an attempt counts as failed. */
  readonly timeout: number;
  /** Input of a run. Every property of a scheduled job has a default. */
  readonly data: Schema;
  /**
   * Does the work. It is repeatable, because an attempt may break off anywhere. Two runs of one name never overlap.
   * Throws the signal's reason soon after the signal aborts.
   */
  run(context: JobContext, data: Static<Schema>): Promise<JobResult>;
}

/** A background job with input of any shape. */
export interface Job extends Omit<Declared<TObject>, 'data' | 'run'> {
  /** The data with its defaults. @throws an error that names every invalid field */
  parse(data: unknown): Readonly<Record<string, unknown>>;
  run(context: JobContext, data: unknown): Promise<JobResult>;
}

/** Declares a job; list it in `index.ts`. */
export function defineJob<Schema extends TObject>({ data: schema, run, ...rest }: Declared<Schema>): Job {
  const parse = (data: unknown): Static<Schema> => {
    const complete = Value.Default(schema, Value.Clone(data ?? {}));
    if (Value.Check(schema, complete)) return complete;
    const faults = [...Value.Errors(schema, complete)].map(
      ({ path, message }) => `${path.slice(1) || 'data'}: ${message}`,
    );
    throw new Error(`${rest.name} cannot run with this data: ${[...new Set(faults)].join('; ')}`);
  };
  return { ...rest, parse, run: (context, data) => run(context, parse(data)) };
}
