const LARGEST_SAFE = '9007199254740991';
const SAFE_DIGITS = LARGEST_SAFE.length;

/** Members that hold Debezium's own clock readings. */
const CLOCKS = ['"ts_us":', '"ts_ns":'];

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/**
 * Parses JSON without loss: an integer beyond 2^53 becomes a bigint. Debezium's own clock readings (`ts_us`, `ts_ns`)
 * become rounded numbers, because nothing reads them and nearly every message has them.
 *
 * @throws SyntaxError for text that is not JSON
 */
export function parseJson(text: string): unknown {
  return mayHoldLargeInteger(text) ? JSON.parse(text, keepLargeInteger) : JSON.parse(text);
}

/**
 * The same for messages with JSON documents: a number in a notation that JavaScript would not write (`28.0`, more digits
 * than a double has) becomes raw JSON, which keeps the notation.
 *
 * @throws SyntaxError for text that is not JSON
 */
export function parseJsonAsWritten(text: string): unknown {
  const isPlain = !ODD_NUMBER.test(text) && !mayHoldLargeInteger(text);
  return isPlain ? JSON.parse(text) : JSON.parse(text, keepNumberText);
}

/** Trailing zeros of a fraction, a long fraction, or an exponent. A match inside a string only costs time. */
const ODD_NUMBER = /\.\d*0[,}\]\s]|\.\d{15}|[:,[]\s*-?\d+(?:\.\d+)?[eE]/;
const INTEGER = /^-?\d+$/;

/** The engine passes the literal's source text, which the type declarations lack. */
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

/** Checks every 16th character only, since a run of 16 digits contains one of them. */
function mayHoldLargeInteger(text: string): boolean {
  const { length } = text;
  for (let index = SAFE_DIGITS - 1; index < length; index += SAFE_DIGITS) {
    if (!isDigit(text.charCodeAt(index))) continue;
    let start = index;
    while (start > 0 && isDigit(text.charCodeAt(start - 1))) start--;
    let end = index + 1;
    while (end < length && isDigit(text.charCodeAt(end))) end++;
    if (end - start >= SAFE_DIGITS && isLargeInteger(text, start, end)) return true;
    // A run may span several steps; the next step begins after it.
    while (index + SAFE_DIGITS < end) index += SAFE_DIGITS;
  }
  return false;
}

/** Whether the run of digits, by its neighbours, is a complete integer literal, and too large. */
function isLargeInteger(text: string, start: number, end: number): boolean {
  if (end - start === SAFE_DIGITS && text.slice(start, end) <= LARGEST_SAFE) return false;
  const before = text[start - 1] === '-' ? text[start - 2] : text[start - 1];
  // A quote, a letter or a point before it: text, or part of a fraction.
  if (before !== undefined && !':,[ \t\r\n'.includes(before)) return false;
  return !CLOCKS.some((clock) => text.startsWith(clock, start - clock.length));
}

/** Compact JSON text of a parsed value, members in their order; null if it is nested too deeply. */
export function jsonText(value: unknown): string | null {
  try {
    return JSON.stringify(value);
  } catch {
    return jsonTextWithBigints(value);
  }
}

function jsonTextWithBigints(value: unknown): string | null {
  try {
    return JSON.stringify(value, (_key, member) =>
      typeof member === 'bigint' ? JSON.rawJSON(member.toString()) : member,
    );
  } catch {
    return null;
  }
}

declare global {
  /** Part of the language that the type declarations lack. */
  interface JSON {
    /** A value that `JSON.stringify` writes as the given text. */
    rawJSON(text: string): { readonly rawJSON: string };
    isRawJSON(value: unknown): value is { readonly rawJSON: string };
  }
}

/** A value with its raw JSON numbers as plain numbers; the same value if it has none. */
export function withPlainNumbers(value: unknown): unknown {
  if (JSON.isRawJSON(value)) return Number(value.rawJSON);
  return Array.isArray(value) && value.some(JSON.isRawJSON) ? value.map(withPlainNumbers) : value;
}
