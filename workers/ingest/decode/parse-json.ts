const LARGEST_SAFE = '9007199254740991';
const SAFE_DIGITS = LARGEST_SAFE.length;

/** Members that hold Debezium's own clock readings. */
const CLOCKS = ['"ts_us":', '"ts_ns":'];

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/**
 * Parses JSON without loss: an integer beyond 2^53 becomes a bigint, all else is as `JSON.parse` gives it.
 * Debezium's own clock readings (`ts_us`, `ts_ns`) are let through as numbers, rounded: nothing reads them, and
 * nearly every message carries them.
 *
 * @throws SyntaxError for text that is not JSON
 */
export function parseJson(text: string): unknown {
  return mayHoldLargeInteger(text) ? JSON.parse(text, keepLargeInteger) : JSON.parse(text);
}

/**
 * The same for messages that hold JSON documents: a number written otherwise than JavaScript would write it (`28.0`,
 * more digits than a double has) becomes raw JSON, and so is written again as it came.
 *
 * @throws SyntaxError for text that is not JSON
 */
export function parseJsonAsWritten(text: string): unknown {
  const isPlain = !ODD_NUMBER.test(text) && !mayHoldLargeInteger(text);
  return isPlain ? JSON.parse(text) : JSON.parse(text, keepNumberText);
}

/** Trailing zeros of a fraction, a long fraction, or an exponent; in a text it costs time and does no harm. */
const ODD_NUMBER = /\.\d*0[,}\]\s]|\.\d{15}|[:,[]\s*-?\d+(?:\.\d+)?[eE]/;
const INTEGER = /^-?\d+$/;

/** The engine passes the literal's source text; the type declarations do not know of it yet. */
function keepLargeInteger(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? '';
  return INTEGER.test(source) ? BigInt(source) : value;
}

function keepNumberText(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined || context.source === String(value))
    return value;
  const { source } = context;
  return INTEGER.test(source) ? BigInt(source) : JSON.rawJSON(source);
}

/** Looks at every 16th character only: a run of 16 digits cannot slip between. */
function mayHoldLargeInteger(text: string): boolean {
  const { length } = text;
  for (let index = SAFE_DIGITS - 1; index < length; index += SAFE_DIGITS) {
    if (!isDigit(text.charCodeAt(index))) continue;
    let start = index;
    while (start > 0 && isDigit(text.charCodeAt(start - 1))) start--;
    let end = index + 1;
    while (end < length && isDigit(text.charCodeAt(end))) end++;
    if (end - start >= SAFE_DIGITS && isLargeInteger(text, start, end)) return true;
    // The run may reach over several steps; the next one begins after it.
    while (index + SAFE_DIGITS < end) index += SAFE_DIGITS;
  }
  return false;
}

/** Whether the run of digits is an integer literal of its own, as far as its neighbours tell, and too large. */
function isLargeInteger(text: string, start: number, end: number): boolean {
  if (end - start === SAFE_DIGITS && text.slice(start, end) <= LARGEST_SAFE) return false;
  const before = text[start - 1] === '-' ? text[start - 2] : text[start - 1];
  // A quote, a letter or a point before it: text, or part of a fraction.
  if (before !== undefined && !':,[ \t\r\n'.includes(before)) return false;
  return !CLOCKS.some((clock) => text.startsWith(clock, start - clock.length));
}
