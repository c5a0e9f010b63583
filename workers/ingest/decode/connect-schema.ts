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

/** The same for a parsed part. */
export function unwrap(source: Source, part: MessagePart, parsed: unknown): Unwrapped {
  if (!isWrapped(parsed)) return { payload: parsed, decoder: decoderOf(source) };
  const { schema, payload } = parsed;
  if (schema === null) return { payload, decoder: decoderOf(source) };
  const head = `${HEAD}${jsonText(schema)}${TAIL}`;
  const latest = known[part].get(source);
  if (latest?.head === head) return { payload, decoder: latest.decoder };
  const decoder = decoderOfSchema(source, part, schema);
  known[part].set(source, { head, decoder });
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
