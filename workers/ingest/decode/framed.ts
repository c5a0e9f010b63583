import type { Source } from '../../../projections/contracts/contract.ts';
import { type KnownSchemas, type MessageSchema, NO_SCHEMAS } from '../schemas/message-schema.ts';
import { schemaIdOf } from '../schemas/wire-format.ts';
import { decoderOfSchema, type MessagePart, type Unwrapped, unwrap } from './connect-schema.ts';
import type { Reason } from './reason.ts';
import { decoderOf, type RowDecoder } from './row-decoder.ts';

/** The decoder of each schema for each source whose messages it describes. */
const decoders: Readonly<Record<MessagePart, WeakMap<MessageSchema, Map<Source, RowDecoder>>>> = {
  key: new WeakMap(),
  value: new WeakMap(),
};

/** Decodes a message part in the wire format of a schema registry, to what the same part in JSON is. */
export function readFramed(
  source: Source,
  part: MessagePart,
  framed: Buffer,
  schemas: KnownSchemas = NO_SCHEMAS,
): Unwrapped {
  const read = decodeFramed(framed, schemas);
  if ('unreadable' in read) return unreadable(source, read.unreadable);
  const { schema, payload } = read;
  return schema.connectSchema === null
    ? unwrap(source, part, payload)
    : { payload, decoder: knownDecoder(source, part, schema) };
}

/** The payload of a part that describes no row; null if it is unreadable. */
export function framedPayload(framed: Buffer, schemas: KnownSchemas = NO_SCHEMAS): unknown {
  const read = decodeFramed(framed, schemas);
  return 'unreadable' in read ? null : read.payload;
}

/** A part that cannot be read, and why. */
export const unreadable = (source: Source, reason: Reason): Unwrapped => ({
  payload: undefined,
  decoder: decoderOf(source),
  unreadable: reason,
});

function decodeFramed(
  framed: Buffer,
  schemas: KnownSchemas,
): { readonly schema: MessageSchema; readonly payload: unknown } | { readonly unreadable: Reason } {
  const schema = schemas.find(schemaIdOf(framed));
  if (typeof schema === 'string') return { unreadable: schema };
  try {
    return { schema, payload: schema.decode(framed) };
  } catch {
    return { unreadable: 'not_of_schema' };
  }
}

function knownDecoder(source: Source, part: MessagePart, schema: MessageSchema): RowDecoder {
  let ofSources = decoders[part].get(schema);
  if (ofSources === undefined) {
    ofSources = new Map();
    decoders[part].set(schema, ofSources);
  }
  let decoder = ofSources.get(source);
  if (decoder === undefined) {
    decoder = decoderOfSchema(source, part, schema.connectSchema);
    ofSources.set(source, decoder);
  }
  return decoder;
}
