/** Time limits for the arrival of a request, from its first byte. */
export interface ArrivalLimits {
  /** Milliseconds until its headers are complete. */
  readonly headersMs: number;
  /** Milliseconds until its body is complete too. */
  readonly requestMs: number;
}

/** A slow request is rejected well before its deadline. */
const DEFAULT_ARRIVAL: ArrivalLimits = { headersMs: 5_000, requestMs: 10_000 };
const MOST_BETWEEN_CHECKS_MS = 1_000;

/** Options of a Fastify app that responds 408 to a request that arrives too slowly. */
export function arrivalOptions({ headersMs, requestMs }: ArrivalLimits = DEFAULT_ARRIVAL) {
  return {
    requestTimeout: requestMs,
    http: {
      headersTimeout: headersMs,
      connectionsCheckingInterval: Math.min(MOST_BETWEEN_CHECKS_MS, Math.ceil(headersMs / 4)),
      // Node would reject a request without one, without a reason.
      requireHostHeader: false,
    },
  };
}
