/** Consecutive failures that open the breaker. */
const FAILURES = 3;
const REST_MS = 30_000;

/** Circuit breaker: decides by past results whether to call a service. */
export interface Breaker {
  /** Whether a call is allowed. After the rest period, one call probes the service and all others are rejected. */
  admits(): boolean;
  succeeded(): void;
  failed(): void;
  /** The caller left before the response. */
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
