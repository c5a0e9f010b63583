import avro, { type Schema, type Type } from 'avsc';
import { avroConnectSchema } from './avro-connect-schema.ts';
import { exactInteger, type MessageSchema, readDouble, readSingle } from './message-schema.ts';
import { PAYLOAD_AT } from './wire-format.ts';

/** A type that is written like another and read differently. */
class ReadAs extends avro.types.LogicalType {
  readonly #read: (value: never) => unknown;

  constructor(schema: Schema, read: (value: never) => unknown) {
    super(schema);
    this.#read = read;
  }

  protected override _fromValue(value: unknown): unknown {
    return this.#read(value as never);
  }
}

/** The part of the library's reader that knows how far it has read. */
interface Tap {
  readonly buf: Buffer;
  readonly pos: number;
  readLong(): number;
  skipLong(): void;
  readString(): string;
}

interface Readable {
  _read(tap: Tap): unknown;
}

/** The size of the next block; zero after the last. The library would read as many values past the end as it states. */
function blockSize(tap: Tap): number {
  let size = tap.readLong();
  if (size < 0) {
    size = -size;
    tap.skipLong();
  }
  if (size > tap.buf.length - tap.pos) throw new RangeError('a block has more values than bytes');
  return size;
}

class BoundedArray extends avro.types.ArrayType {
  _read(tap: Tap): unknown[] {
    const items: unknown[] = [];
    const type = this.itemsType as unknown as Readable;
    for (let left = blockSize(tap); left > 0; left = blockSize(tap))
      for (; left > 0; left--) items.push(type._read(tap));
    return items;
  }
}

class BoundedMap extends avro.types.MapType {
  _read(tap: Tap): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    const type = this.valuesType as Readable;
    for (let left = blockSize(tap); left > 0; left = blockSize(tap))
      for (; left > 0; left--) entries.push([tap.readString(), type._read(tap)]);
    return Object.fromEntries(entries);
  }
}

/** Avro's 64-bit integers, which the library would reject beyond 2^53. */
const LONG = avro.types.LongType.__with({
  fromBuffer: (bytes: Buffer) => exactInteger(bytes.readBigInt64LE()),
  toBuffer(value: number | bigint) {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(value));
    return bytes;
  },
  fromJSON: BigInt,
  toJSON: Number,
  isValid: (value: unknown) => typeof value === 'bigint' || Number.isSafeInteger(value),
  compare: (one: bigint, other: bigint) => (one < other ? -1 : one > other ? 1 : 0),
});

const READ_AS: Readonly<Record<string, (value: never) => unknown>> = {
  bytes: (value: Buffer) => value.toString('base64'),
  fixed: (value: Buffer) => value.toString('base64'),
  float: readSingle,
  double: readDouble,
};

/**
 * Compiles an Avro schema.
 *
 * @param references the schemas that it names, each after those that it names itself
 * @throws Error if it is no schema of Avro
 */
export function avroSchema(text: string, references: readonly string[] = []): MessageSchema {
  const registry: Record<string, Type> = { long: LONG };
  const parsed = [...references, text].map((each) => withoutDefaults(JSON.parse(each)));
  const types = parsed.map((schema) => avro.Type.forSchema(schema as Schema, { registry, typeHook: readAs }));
  const type = types.at(-1) as Type;
  return {
    connectSchema: avroConnectSchema(parsed),
    decode(framed) {
      const { value, offset } = type.decode(framed, PAYLOAD_AT);
      if (offset !== framed.length) throw new RangeError('the bytes do not end with the schema');
      return value;
    },
  };
}

function readAs(schema: Schema, options: { registry?: Record<string, Type> }): Type | undefined {
  const kind = typeof schema === 'string' ? schema : (schema as { type?: unknown }).type;
  if (kind === 'array') return new BoundedArray(schema, options);
  if (kind === 'map') return new BoundedMap(schema, options);
  const read = typeof kind === 'string' && Object.hasOwn(READ_AS, kind) ? READ_AS[kind] : undefined;
  if (read === undefined) return;
  const type = new ReadAs(
    typeof schema === 'string' ? schema : ({ ...schema, logicalType: undefined } as Schema),
    read,
  );
  const { name } = schema as { name?: string };
  if (kind === 'fixed' && name !== undefined && options.registry !== undefined) options.registry[name] = type;
  return type;
}

/** Defaults serve readers of another schema; those that Connect writes are not always of their type. */
function withoutDefaults(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutDefaults);
  if (typeof schema !== 'object' || schema === null) return schema;
  const members = Object.entries(schema).filter(([name]) => name !== 'default');
  return Object.fromEntries(
    members.map(([name, member]) => [
      name,
      name === 'type' || name === 'fields' || name === 'items' || name === 'values'
        ? withoutDefaults(member)
        : member,
    ]),
  );
}
