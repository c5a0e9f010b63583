import protobuf from 'protobufjs';
import { exactInteger, type MessageSchema, readDouble, readSingle } from './message-schema.ts';
import { addCommonFiles, KNOWN_TYPES } from './protobuf-known-types.ts';
import { PAYLOAD_AT } from './wire-format.ts';

/** A file that another one imports. */
export interface ImportedFile {
  readonly name: string;
  readonly schema: string;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Compiles a Protobuf schema.
 *
 * @param imports the files that it imports, each after those that it imports itself
 * @throws Error if it is no schema of Protobuf
 */
export function protobufSchema(text: string, imports: readonly ImportedFile[] = []): MessageSchema {
  const root = new protobuf.Root();
  addCommonFiles(root);
  for (const { schema } of imports) protobuf.parse(schema, root, { keepCase: true });
  const imported = new Set(allIn(root));
  const { package: name } = protobuf.parse(text, root, { keepCase: true });
  root.resolveAll();
  const messages = messagesIn(namespaceOf(root, name ?? '')).filter((message) => !imported.has(message));
  return {
    connectSchema: structOf(messages[0] ?? null, 0, newFields()),
    decode(framed) {
      const reader = protobuf.Reader.create(framed.subarray(PAYLOAD_AT));
      const type = messageAt(messages, reader);
      return readMessage(type.decode(reader) as unknown as Fields, type);
    },
  };
}

function namespaceOf(root: protobuf.Root, name: string): protobuf.NamespaceBase {
  const found = name === '' ? root : root.lookup(name);
  if (found instanceof protobuf.Namespace) return found;
  throw new TypeError(`the schema has no package ${name}`);
}

const messagesIn = (namespace: protobuf.NamespaceBase): protobuf.Type[] =>
  namespace.nestedArray.filter((nested) => nested instanceof protobuf.Type);

/** The messages of all packages. */
const allIn = (namespace: protobuf.NamespaceBase): protobuf.Type[] =>
  namespace.nestedArray.flatMap((nested) =>
    nested instanceof protobuf.Type ? [nested] : nested instanceof protobuf.Namespace ? allIn(nested) : [],
  );

/** Reads the path of a message's type: how many indexes, then each, from the file down; a zero alone is the first. */
function messageAt(messages: readonly protobuf.Type[], reader: protobuf.Reader): protobuf.Type {
  const indexes = Array.from({ length: reader.sint32() || 0 }, () => reader.sint32());
  let type: protobuf.Type | undefined;
  let level = messages;
  for (const index of indexes.length === 0 ? [0] : indexes) {
    type = level[index];
    if (type === undefined) throw new RangeError(`the schema has no message ${index}`);
    level = messagesIn(type);
  }
  return type as protobuf.Type;
}

/** The name of a type without the dot of the root. */
const nameOf = ({ fullName }: protobuf.Type): string => fullName.slice(1);

function readMessage(message: Fields, type: protobuf.Type): unknown {
  const known = KNOWN_TYPES.get(nameOf(type));
  if (known !== undefined) return known.read(message);
  const row: Record<string, unknown> = {};
  for (const field of type.fieldsArray) row[field.name] = readField(message, field);
  return row;
}

/** Null for an absent field, if the schema knows presence for it; else its default, which may have been a null. */
function readField(message: Fields, field: protobuf.Field): unknown {
  const isPresent = Object.hasOwn(message, field.name);
  if (!isPresent && !field.repeated && !field.map && knowsPresence(field)) return null;
  const value = message[field.name];
  if (field.repeated) return (value as unknown[]).map((item) => readValue(item, field));
  if (!field.map) return readValue(value, field);
  const entries = Object.entries(value as Fields);
  return Object.fromEntries(entries.map(([key, item]) => [key, readValue(item, field)]));
}

const knowsPresence = ({ partOf, resolvedType, hasPresence }: protobuf.Field): boolean =>
  partOf !== null || resolvedType instanceof protobuf.Type || Boolean(hasPresence);

/** The types that the library reads as objects, because a number could not hold them. */
const LONG: ReadonlySet<string> = new Set(['int64', 'uint64', 'sint64', 'fixed64', 'sfixed64']);

function readValue(value: unknown, { type, resolvedType }: protobuf.Field): unknown {
  if (resolvedType instanceof protobuf.Type) return readMessage(value as Fields, resolvedType);
  if (resolvedType !== null) return resolvedType.valuesById[value as number] ?? value;
  if (LONG.has(type)) return exactInteger(BigInt(String(value)));
  if (type === 'bytes') return Buffer.from(value as Uint8Array).toString('base64');
  if (type === 'float') return readSingle(value as number);
  return type === 'double' ? readDouble(value as number) : value;
}

/** An event, its envelope, its row, a column. */
const MAX_DEPTH = 4;

/** What the scalars are in Connect. */
const CONNECT: Readonly<Record<string, string>> = {
  bool: 'boolean',
  bytes: 'bytes',
  double: 'double',
  float: 'float',
  string: 'string',
  int32: 'int32',
  sint32: 'int32',
  sfixed32: 'int32',
  fixed32: 'int64',
  uint32: 'int64',
  int64: 'int64',
  sint64: 'int64',
  sfixed64: 'int64',
  fixed64: 'int64',
  uint64: 'int64',
};

/** The fields of messages by depth: a message may contain itself in each of many columns. */
type KnownFields = readonly Map<protobuf.Type, readonly object[]>[];

const newFields = (): KnownFields => Array.from({ length: MAX_DEPTH }, () => new Map());

/** The schema of a message in the form that Connect's JSON messages have it. */
const structOf = (type: protobuf.Type | null, depth: number, known: KnownFields): object => ({
  name: type === null ? undefined : KNOWN_TYPES.get(nameOf(type))?.connectName,
  fields: type === null || depth === MAX_DEPTH ? [] : fieldsOf(type, depth, known),
});

function fieldsOf(type: protobuf.Type, depth: number, known: KnownFields): readonly object[] {
  const read =
    known[depth]?.get(type) ??
    type.fieldsArray.map((field) => ({ ...columnOf(field, depth, known), field: field.name }));
  known[depth]?.set(type, read);
  return read;
}

function columnOf(field: protobuf.Field, depth: number, known: KnownFields): object {
  const { type, resolvedType, repeated } = field;
  const nested = resolvedType instanceof protobuf.Type ? resolvedType : null;
  const connectType = resolvedType === null ? CONNECT[type] : undefined;
  const value = { ...structOf(nested, depth + 1, known), type: connectType };
  return repeated ? { type: 'array', items: value } : { ...value, optional: knowsPresence(field) };
}
