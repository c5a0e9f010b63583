import { isUtf8 } from 'node:buffer';
import type { Source } from '../../../projections/contracts/contract.ts';
import { structFieldTypes, valueFieldTypes } from './field-types.ts';
import { jsonText } from './json.ts';
import type { Reason } from './reason.ts';
import { compileDecoder, decoderOf, type RowDecoder } from './row-decoder.ts';

/** The message part that a schema describes. */
export type MessagePart = 'key' | 'value';

/** A message part without its wrapper, and the decoder that knows its schema. */
export interface Unwrapped {
  readonly payload: unknown;
  readonly decoder: RowDecoder;
  /** Why it is unreadable; missing if it was read. */
  readonly unreadable?: Reason;
}

/** The newest schema of a source's messages: the text before the payload, and its decoder. */
interface KnownSchema {
  readonly head: string;
  readonly headBytes: Buffer;
  readonly decoder: RowDecoder;
}

const HEAD = '{"schema":';
const TAIL = ',"payload":';

const known: Readonly<Record<MessagePart, WeakMap<Source, KnownSchema>>> = {
  key: new WeakMap(),
  value: new WeakMap(),
};

/**
 * Parses a message part, plain or wrapped in `schema` and `payload`. A schema is several times larger than its payload
 * and rarely changes, so this compares its text and does not parse it again.
 *
 * @throws SyntaxError for text that is not JSON
 */
export function unwrapText(source: Source, part: MessagePart, text: string): Unwrapped {
  const { parse } = decoderOf(source);
  if (!text.startsWith(HEAD)) return unwrap(source, part, parse(text));
  const latest = known[part].get(source);
  if (latest !== undefined && text.startsWith(latest.head) && text.endsWith('}')) {
    try {
      return {
        payload: parse(text.slice(latest.head.length, -1)),
        decoder: latest.decoder,
      };
    } catch {
      // More members follow the payload; the complete text can be parsed.
    }
  }
  return unwrap(source, part, parse(text));
}

/**
 * The same for the bytes of a message: only the payload is read where its schema is known.
 *
 * @throws SyntaxError for what is not JSON in UTF-8
 */
export function unwrapBytes(source: Source, part: MessagePart, bytes: Buffer): Unwrapped {
  const latest = known[part].get(source);
  if (latest === undefined || !isWrappedIn(latest.headBytes, bytes))
    return unwrapText(source, part, utf8Text(bytes, 0, bytes.length));
  try {
    const { parse } = decoderOf(source);
    return {
      payload: parse(utf8Text(bytes, latest.headBytes.length, bytes.length - 1)),
      decoder: latest.decoder,
    };
  } catch {
    // More members follow the payload, or it is not JSON.
    return unwrapText(source, part, utf8Text(bytes, 0, bytes.length));
  }
}

const isWrappedIn = (head: Buffer, bytes: Buffer): boolean =>
  bytes.length > head.length && bytes.at(-1) === BRACE && head.compare(bytes, 0, head.length) === 0;

const BRACE = '}'.charCodeAt(0);

/** Stands for bytes that are not UTF-8, unless the text has it itself. */
const REPLACEMENT = '\ufffd';

function utf8Text(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('utf8', start, end);
  // Nearly every text is of one byte a character, and then this reads none of them.
  if (text.includes(REPLACEMENT) && !isUtf8(bytes.subarray(start, end))) throw new SyntaxError('not UTF-8');
  return text;
}

/** The same for a parsed part. */
export function unwrap(source: Source, part: MessagePart, parsed: unknown): Unwrapped {
  if (!isWrapped(parsed)) return { payload: parsed, decoder: decoderOf(source) };
  const { schema, payload } = parsed;
  if (schema === null) return { payload, decoder: decoderOf(source) };
  const head = `${HEAD}${jsonText(schema)}${TAIL}`;
  const latest = known[part].get(source);
  if (latest?.head === head) return { payload, decoder: latest.decoder };
  const decoder = decoderOfSchema(source, part, schema);
  known[part].set(source, { head, headBytes: Buffer.from(head), decoder });
  return { payload, decoder };
}

/** The decoder of the rows or keys that a schema of Connect describes. Keep it. */
export function decoderOfSchema(source: Source, part: MessagePart, schema: unknown): RowDecoder {
  const types = part === 'key' ? structFieldTypes(schema) : valueFieldTypes(schema);
  return types === null ? decoderOf(source) : compileDecoder(source, types);
}

function isWrapped(value: unknown): value is { schema: unknown; payload: unknown } {
  if (typeof value !== 'object' || value === null) return false;
  const { schema, payload } = value as { schema?: unknown; payload?: unknown };
  return payload !== undefined && schema !== undefined;
}
