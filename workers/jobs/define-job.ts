import type { Static, TObject } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { Pool } from 'pg';
import type { Logger } from 'pino';

/** What a run came to, in a few plain facts. */
export type JobResult = Readonly<Record<string, string | number | boolean | null>>;

/** How far a run is. `rate` is in units a second, `eta` in seconds; null while nothing can be said. */
export interface JobProgress {
  readonly done: number;
  readonly total: number;
  readonly rate: number | null;
  readonly eta: number | null;
}

export interface JobContext {
  readonly pool: Pool;
  readonly log: Logger;
  /** Aborted when the run has to end: its time is up, the worker stops, or the run has lost its lock. */
  readonly signal: AbortSignal;
  /** Whether an earlier run of the same request broke off: it failed, was handed back or lost its worker. */
  readonly resumed: boolean;
  /** Notes how far the run is; call it as often as you like. */
  progress(done: number, total: number): void;
}

interface Declared<Schema extends TObject> {
  readonly name: string;
  /** When it runs by itself, as a cron pattern in UTC; null where it runs only when asked to. */
  readonly schedule: string | null;
  /** Channel of the database on which a notice has it run at once, beside its schedule; so does the start of a worker. */
  readonly wakesOn?: string;
  /** How often it is tried before it counts as failed. */
  readonly attempts: number;
  /** Milliseconds before the second attempt; each further pause is twice as long, less up to half by chance. */
  readonly backoff: number;
  /** Milliseconds after which an attempt counts as failed. */
  readonly timeout: number;
  /** What it has to be told; a scheduled job has a default for everything. */
  readonly data: Schema;
  /**
   * Does the work, and can do it again: an attempt may break off anywhere. No two runs of one name are ever under way
   * at once. Heeds the signal soon, by throwing its reason.
   */
  run(context: JobContext, data: Static<Schema>): Promise<JobResult>;
}

/** A background job, whatever its data. */
export interface Job extends Omit<Declared<TObject>, 'data' | 'run'> {
  /** The data with defaults filled in. @throws naming every field at fault */
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
