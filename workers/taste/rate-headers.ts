/** What a service can make others wait for at most, whatever it says. */
const MOST_MS = 15 * 60_000;
/** After "too many requests" without a word on when to come back. */
const UNSAID_MS = 60_000;
/** Where nothing is left of a window that moves along, some of it is free again by then. */
const NOTHING_LEFT_MS = 10_000;

const HTTP_DATE = /^[A-Z][a-z]{2}, \d/;
const REMAINING = /(?:^|-)ratelimit-remaining$/;
const RESET_IN = /(?:^|-)ratelimit-reset-in$/;

/** For how many milliseconds a service wants no further request, by what came with its answer. */
export function holdOffMs(status: number, headers: Headers, now: number): number {
  return Math.min(Math.max(0, askedFor(status, headers, now)), MOST_MS);
}

function askedFor(status: number, headers: Headers, now: number): number {
  if (status === 429 || status === 503) {
    const ms = retryAfterMs(headers.get('retry-after'), now);
    if (ms !== null) return ms;
  }
  const resetIn = numberOf(headers, RESET_IN);
  if (status === 429) return resetIn === null ? UNSAID_MS : resetIn * 1_000;
  if (numberOf(headers, REMAINING) !== 0) return 0;
  return resetIn === null ? NOTHING_LEFT_MS : resetIn * 1_000;
}

/** Seconds, or the instant. */
function retryAfterMs(text: string | null, now: number): number | null {
  if (text === null) return null;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const at = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : at - now;
}

/** Services put their own names before these headers'. */
function numberOf(headers: Headers, name: RegExp): number | null {
  for (const [header, value] of headers) {
    if (name.test(header) && /^\d{1,9}$/.test(value)) return Number(value);
  }
  return null;
}
