import { type Static, Type } from '@sinclair/typebox';

/** What a record may state. A record beyond a limit becomes a dead letter. */
export interface RecordLimits {
  /** A log grows by at most so many bytes a second of its own time, … */
  readonly logBytesPerSecond: number;
  /** … and so many more. */
  readonly logLeapBytes: number;
  /** Times are at most so far ahead of our clock, in milliseconds. */
  readonly clockSkewMs: number;
  /** Columns of a row that its contract does not have, as JSON together. */
  readonly extraBytes: number;
}

export const DEFAULT_LIMITS: RecordLimits = {
  logBytesPerSecond: 2 ** 30,
  logLeapBytes: 2 ** 40,
  clockSkewMs: 3_600_000,
  extraBytes: 64 * 1024,
};

/** The settings of the limits, of every process that applies records of producers. */
export const LimitsConfig = Type.Object({
  MAX_LOG_BYTES_PER_SECOND: Type.Integer({
    minimum: 0,
    default: DEFAULT_LIMITS.logBytesPerSecond,
    description:
      "Rate at which a producer's log may grow: a log position further ahead makes its record a dead letter.",
  }),
  MAX_LOG_LEAP_BYTES: Type.Integer({
    minimum: 0,
    default: DEFAULT_LIMITS.logLeapBytes,
    description: 'How much further a log position may leap, for producers whose clocks are inexact.',
  }),
  MAX_CLOCK_SKEW_MS: Type.Integer({
    minimum: 0,
    default: DEFAULT_LIMITS.clockSkewMs,
    description: 'How far ahead of our clock the time of a change may be; beyond it is a dead letter.',
  }),
  MAX_EXTRA_BYTES: Type.Integer({
    minimum: 0,
    default: DEFAULT_LIMITS.extraBytes,
    description: 'Bytes of a row in columns outside its contract, as JSON; a larger row is a dead letter.',
  }),
});

export const recordLimits = (config: Static<typeof LimitsConfig>): RecordLimits => ({
  logBytesPerSecond: config.MAX_LOG_BYTES_PER_SECOND,
  logLeapBytes: config.MAX_LOG_LEAP_BYTES,
  clockSkewMs: config.MAX_CLOCK_SKEW_MS,
  extraBytes: config.MAX_EXTRA_BYTES,
});
