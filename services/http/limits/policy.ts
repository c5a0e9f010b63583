/** A number of requests per window, under the name that clients see. */
export interface RatePolicy {
  readonly name: string;
  readonly limit: number;
  readonly windowMs: number;
  /** The member of the header `RateLimit-Policy`. */
  readonly member: string;
  /** How its member of the header `RateLimit` begins; the remaining requests follow. */
  readonly stateMember: string;
}

export const ratePolicy = (name: string, limit: number, windowMs: number): RatePolicy => ({
  name,
  limit,
  windowMs,
  member: `"${name}";q=${limit};w=${windowMs / 1_000}`,
  stateMember: `"${name}";r=`,
});

/** The member of `RateLimit-Policy` for concurrent requests. */
export const concurrencyMember = (limit: number): string =>
  `"concurrency";q=${limit};qu="concurrent-requests"`;

/** The state of a subject's window after a request. */
export interface RateLimitState {
  readonly isAllowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** The end of the window, in seconds since 1970. */
  readonly resetAt: number;
  /** Whole seconds until then, at least 1. */
  readonly retryAfterSeconds: number;
}
