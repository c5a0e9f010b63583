/** Upper bound for every requested pause. */
const MAX_PAUSE_MS = 15 * 60_000;
/** After status 429 without a given pause. */
const DEFAULT_PAUSE_MS = 60_000;
/** After an exhausted limit without a reset time. Sliding windows free some requests by then. */
const EXHAUSTED_PAUSE_MS = 10_000;

const HTTP_DATE = /^[A-Z][a-z]{2}, \d/;
const REMAINING = /(?:^|-)ratelimit-remaining$/;
const RESET_IN = /(?:^|-)ratelimit-reset-in$/;

/** Milliseconds to pause requests to a service, by its response status and headers. */
export function requestedPauseMs(status: number, headers: Headers, now: number): number {
  return Math.min(Math.max(0, unboundedPauseMs(status, headers, now)), MAX_PAUSE_MS);
}

function unboundedPauseMs(status: number, headers: Headers, now: number): number {
  if (status === 429 || status === 503) {
    const ms = retryAfterMs(headers.get('retry-after'), now);
    if (ms !== null) return ms;
  }
  const resetIn = numberOf(headers, RESET_IN);
  if (status === 429) return resetIn === null ? DEFAULT_PAUSE_MS : resetIn * 1_000;
  if (numberOf(headers, REMAINING) !== 0) return 0;
  return resetIn === null ? EXHAUSTED_PAUSE_MS : resetIn * 1_000;
}

/** `Retry-After` is a number of seconds or a date. */
function retryAfterMs(text: string | null, now: number): number | null {
  if (text === null) return null;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const at = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : at - now;
}

/** Services prefix these header names with their own. */
function numberOf(headers: Headers, name: RegExp): number | null {
  for (const [header, value] of headers) {
    if (name.test(header) && /^\d{1,9}$/.test(value)) return Number(value);
  }
  return null;
}
