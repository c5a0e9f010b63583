/** So many requests in a window, under the name that clients are told of it. */
export interface RatePolicy {
  readonly name: string;
  readonly limit: number;
  readonly windowMs: number;
  /** As a member of the header `RateLimit-Policy`. */
  readonly member: string;
  /** What a member of the header `RateLimit` begins with; what is left follows. */
  readonly standing: string;
}

export const ratePolicy = (name: string, limit: number, windowMs: number): RatePolicy => ({
  name,
  limit,
  windowMs,
  member: `"${name}";q=${limit};w=${windowMs / 1_000}`,
  standing: `"${name}";r=`,
});

/** The member for requests that are under way at once. */
export const concurrencyMember = (limit: number): string =>
  `"concurrency";q=${limit};qu="concurrent-requests"`;
