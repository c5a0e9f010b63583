/** A service that tests use, and how to end what was started for it. */
export interface TestService {
  /** A database URL, or brokers separated by commas. */
  readonly address: string;
  /** Where it comes from: a variable, a Docker image or a program of this machine. */
  readonly origin: string;
  /** Of its process, where the tests started one; null while it does not run. */
  pid?(): number | null;
  stop(): Promise<void>;
}

/** The service at the address in `variable`, which the tests neither start nor stop. */
export const givenService = (variable: string, address: string): TestService => ({
  address,
  origin: variable,
  stop: async () => {},
});
