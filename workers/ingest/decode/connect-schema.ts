import type { Source } from '../../../projections/sources/contract.ts';
import { envelopeFieldTypes, structFieldTypes } from './field-types.ts';
import { jsonText } from './json-text.ts';
import { compileDecoder, decoderOf, type RowDecoder } from './row-decoder.ts';

/** Which message part a schema describes: the envelope of a value, or a key. */
export type Part = 'key' | 'value';

/** A message part without its wrapper, and the decoder that knows its schema. */
export interface Unwrapped {
  readonly payload: unknown;
  readonly decoder: RowDecoder;
}

/** The decoder of the schema a source's messages last carried, with the text that led in that schema. */
interface Known {
  readonly head: string;
  readonly decoder: RowDecoder;
}

const HEAD = '{"schema":';
const TAIL = ',"payload":';

const known: Readonly<Record<Part, WeakMap<Source, Known>>> = {
  key: new WeakMap(),
  value: new WeakMap(),
};

/**
 * Parses a message part, wrapped in `schema` and `payload` or plain. A schema is several times the size of its
 * payload and the same from message to message, so it is recognised by its text and not parsed again.
 *
 * @throws SyntaxError for text that is not JSON
 */
export function unwrapText(source: Source, part: Part, text: string): Unwrapped {
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
      // More members follow the payload; parsed whole, they do no harm.
    }
  }
  return unwrap(source, part, parse(text));
}

/** The same for what is parsed already. */
export function unwrap(source: Source, part: Part, parsed: unknown): Unwrapped {
  if (!isWrapped(parsed)) return { payload: parsed, decoder: decoderOf(source) };
  const { schema, payload } = parsed;
  if (schema === null) return { payload, decoder: decoderOf(source) };
  const head = `${HEAD}${jsonText(schema)}${TAIL}`;
  const latest = known[part].get(source);
  if (latest?.head === head) return { payload, decoder: latest.decoder };
  const types = part === 'key' ? structFieldTypes(schema) : envelopeFieldTypes(schema);
  const decoder = types === null ? decoderOf(source) : compileDecoder(source, types);
  known[part].set(source, { head, decoder });
  return { payload, decoder };
}

function isWrapped(value: unknown): value is { schema: unknown; payload: unknown } {
  if (typeof value !== 'object' || value === null) return false;
  const { schema, payload } = value as { schema?: unknown; payload?: unknown };
  return payload !== undefined && schema !== undefined;
}
