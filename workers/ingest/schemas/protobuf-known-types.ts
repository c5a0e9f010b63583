import protobuf from 'protobufjs';
import { exactInteger, readDouble, readSingle } from './message-schema.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A message type that Connect's Protobuf converter uses for a value of a column. */
interface KnownType {
  /** Its name in a schema of Connect, if that changes how the value is read. */
  readonly connectName?: string;
  /** The value as a message in JSON has it. */
  read(message: Fields): unknown;
}

/** A file of Google that the library brings along. */
const fileOf = (name: string): protobuf.INamespace =>
  protobuf.common.get(`google/protobuf/${name}.proto`) ?? {};

/** What schemas import and no registry returns, because every client brings it along. */
export function addCommonFiles(root: protobuf.Root): void {
  for (const name of ['timestamp', 'wrappers']) root.addJSON(fileOf(name).nested ?? {});
  protobuf.parse(DATE, root);
  protobuf.parse(DECIMAL, root);
}

const DATE = `syntax = "proto3"; package google.type;
message Date { int32 year = 1; int32 month = 2; int32 day = 3; }`;

const DECIMAL = `syntax = "proto3"; package confluent.type;
message Decimal { bytes value = 1; uint32 precision = 2; int32 scale = 3; }`;

const wrapper = (read: (value: never) => unknown): KnownType => ({
  read: ({ value }) => read(value as never),
});
const asIs = wrapper((value) => value);
const long = wrapper((value: protobuf.Long) => exactInteger(BigInt(value.toString())));

const NANOS_PER_MS = 1_000_000;

export const KNOWN_TYPES: ReadonlyMap<string, KnownType> = new Map<string, KnownType>([
  ['google.protobuf.BoolValue', asIs],
  ['google.protobuf.StringValue', asIs],
  ['google.protobuf.Int32Value', asIs],
  ['google.protobuf.UInt32Value', asIs],
  ['google.protobuf.Int64Value', long],
  ['google.protobuf.UInt64Value', long],
  ['google.protobuf.FloatValue', wrapper(readSingle)],
  ['google.protobuf.DoubleValue', wrapper(readDouble)],
  ['google.protobuf.BytesValue', wrapper((value: Uint8Array) => Buffer.from(value).toString('base64'))],
  [
    'google.protobuf.Timestamp',
    {
      connectName: 'org.apache.kafka.connect.data.Timestamp',
      read: ({ seconds, nanos }) =>
        Number(String(seconds)) * 1_000 + Math.floor(Number(nanos) / NANOS_PER_MS),
    },
  ],
  [
    'google.type.Date',
    {
      read: ({ year, month, day }) =>
        [String(year).padStart(4, '0'), ...[month, day].map((part) => String(part).padStart(2, '0'))].join(
          '-',
        ),
    },
  ],
  [
    'confluent.type.Decimal',
    {
      connectName: 'io.debezium.data.VariableScaleDecimal',
      read: ({ value, scale }) => ({ value: Buffer.from(value as Uint8Array).toString('base64'), scale }),
    },
  ],
]);
