import { columnShape, type Encoding } from '../../projections/contracts/columns.ts';
import type { Source } from '../../projections/contracts/contract.ts';
import type { Reason, Violation } from '../../workers/ingest/decode/reason.ts';

/** The accepted forms of each type. */
const forms: Readonly<Record<Encoding, string>> = {
  hex: '64 hex digits, the same behind \\x, or base64 of 32 bytes',
  text: 'a string',
  int: 'a whole number',
  num: 'a number, or a decimal number as text',
  bool: 'true or false',
  date: 'YYYY-MM-DD, or whole days since 1970-01-01',
  partial_date: 'YYYY, YYYY-MM or YYYY-MM-DD',
  ts: 'ISO 8601 with an offset, or a whole count since 1970 in the unit of the contract',
  uuid: 'a UUID',
  json: 'JSON',
};

const of = (encoding: Encoding): string => `write ${forms[encoding]}`;

const implausible = (unit: string): string =>
  `write ISO 8601, or another unit: read as ${unit} since 1970, this is no plausible time of the column`;

/** How to fix a value, for reasons that do not depend on its column. */
const fixes: Readonly<Record<Exclude<Reason, 'not_in_list' | 'bad_item' | 'missing'>, string>> = {
  not_a_row:
    'write one JSON object a line: a row, or a Debezium envelope; in CSV, as many cells as the header has',
  not_an_envelope:
    'write an envelope with op, after and source (ts_ms and the log position), as Debezium does. With ExtractNewRecordState set add.fields=op,lsn,source.ts_ms,source.sequence,source.snapshot,source.name',
  binary_as_text:
    'the file holds Avro or Protobuf as text, which has lost bytes: check JSON here, and other formats in the dead letters of their topic',
  data_not_json: 'set the converter’s serializer.type=json and data.serializer.type=json',
  no_schema_registry:
    'the record is Avro or Protobuf: set SCHEMA_REGISTRY_URL for the workers and for this command, then replay; or set JsonConverter',
  not_of_schema:
    'write what the schema in the registry describes, with the same registry as SCHEMA_REGISTRY_URL',
  unknown_schema: 'register the schema in the registry of SCHEMA_REGISTRY_URL, then replay',
  unusable_schema:
    'register a valid schema of type AVRO, PROTOBUF or JSON with all its references, then replay',
  extras_too_large:
    'exclude it from the connector: the columns outside the contract hold more than MAX_EXTRA_BYTES (64 kB) together',
  future_time:
    'correct the clock of the producer: the change, or its record, is in the future. A replay accepts it once its time has come',
  implausible_position:
    'the log position is far ahead of all before. If it is right, replay with --accept-positions; if the log has started over, raise the epoch',
  other_position_form:
    'send a log position (source.lsn, source.sequence) in all changes or in none. If the connector was recreated, raise the epoch',
  implausible_days: implausible('days'),
  implausible_ms: implausible('milliseconds'),
  implausible_us: implausible('microseconds'),
  implausible_ns: implausible('nanoseconds'),
  infinite: 'write null, or a finite value: the contract does not allow infinity',
  not_array: 'write a JSON array',
  not_bool: of('bool'),
  not_date: of('date'),
  not_hex32: of('hex'),
  not_int: of('int'),
  not_json: of('json'),
  not_num: `${of('num')}; NaN only where the contract allows it`,
  not_partial_date: of('partial_date'),
  not_text: of('text'),
  not_ts: of('ts'),
  not_uuid: of('uuid'),
  null_not_allowed: 'write a value: the column is not nullable',
  too_long: 'write at most 20,000 characters',
  too_many_items: 'write at most 1,000 items',
  unit_not_stated:
    'write ISO 8601, or state the unit in the contract: this could be microseconds or milliseconds',
  no_document:
    'set capture.mode=change_streams_update_full: the change comes without its document. If it was deleted since, its delete follows',
  not_the_id:
    'write the same key as in _id, or leave it out: the key of a document is its _id, because a delete has nothing else',
  unsupported_connector:
    'send it through the connector of PostgreSQL, MySQL, MariaDB or MongoDB: the order of changes of others is not known. Or send a file',
  unknown_op: 'write op c, u, d, r or t',
  unknown_table:
    'publish to <prefix>.<schema>.<table> of a source; see: sources list. sources check reads a file of another prefix than producers with --prefix',
};

/** How to fix a part of the envelope, by its name and the reason. */
const envelopeFixes: Readonly<Record<string, string>> = {
  'key missing': 'key the record by the primary key, as a JSON object',
  'op missing': 'write op c, u, d, r or t; in a CloudEvent, keep the attribute iodebeziumop',
  'after missing': 'write the row in after: only a delete and a truncate have none',
  'after not_json':
    'write a document of valid JSON. A NaN or infinite number in it makes all of it invalid: store null',
  'source not_an_envelope':
    'write source.ts_ms and the position: source.lsn and sequence of PostgreSQL, source.file, pos and row of MySQL and MariaDB. With ExtractNewRecordState, name these in add.fields; in a CloudEvent, keep the iodebezium attributes',
};

/** What a producer has to change to fix a violation. */
export function fixOf(source: Source | null, { field, reason }: Violation): string {
  const column = source?.columns[field];
  if (column === undefined)
    return (
      envelopeFixes[`${field} ${reason}`] ??
      (reason === 'missing' || reason === 'bad_item' || reason === 'not_in_list'
        ? `write ${field}`
        : fixes[reason])
    );
  const { encoding, isList, values } = columnShape(column);
  switch (reason) {
    case 'missing':
      return `add the column: ${isList ? 'a JSON array, each item ' : ''}${forms[encoding]}`;
    case 'bad_item':
      return `write each item as ${forms[encoding]}; none may be null`;
    case 'not_in_list':
      return `write one of ${(values ?? []).join(', ')}`;
    default:
      return fixes[reason];
  }
}
