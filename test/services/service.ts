/** A service that tests use, and how to end what was started for it. */
export interface Service {
  /** A database URL, or brokers separated by commas. */
  readonly address: string;
  stop(): Promise<void>;
}

/** One that somebody else runs and ends. */
export const givenService = (address: string): Service => ({ address, stop: async () => {} });
