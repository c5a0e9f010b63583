/** Failures in a row after which a service is left alone. */
const FAILURES = 3;
const REST_MS = 30_000;

/** Whether a service is asked, going by how it answered so far. */
export interface Breaker {
  /** Whether it may be asked now. Once the rest is over, one asks and all others wait for how that one fares. */
  admits(): boolean;
  succeeded(): void;
  failed(): void;
  /** The one that asked went away before it was answered. */
  abandoned(): void;
}

/** @param now milliseconds since 1970 */
export function createBreaker(now: () => number): Breaker {
  let failures = 0;
  let restsUntil = 0;
  let isProbing = false;
  return {
    admits() {
      if (failures < FAILURES) return true;
      if (isProbing || now() < restsUntil) return false;
      isProbing = true;
      return true;
    },
    succeeded() {
      failures = 0;
      isProbing = false;
    },
    failed() {
      failures++;
      isProbing = false;
      if (failures >= FAILURES) restsUntil = now() + REST_MS;
    },
    abandoned() {
      isProbing = false;
    },
  };
}
