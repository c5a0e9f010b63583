import type { Source } from '../../../projections/contracts/contract.ts';
import { type Unwrapped, unwrap } from './connect-schema.ts';
import { unreadable } from './framed.ts';
import { isRecord } from './message.ts';

type Members = Readonly<Record<string, unknown>>;

/** Debezium's names of the attributes that describe a change. */
const ATTRIBUTE = /^iodebezium(?<name>[a-z].*)$/i;

/** The names of `source` in lower case, as attributes have them, and what they are in an envelope. */
const SOURCE_NAMES: Readonly<Record<string, string>> = {
  tsms: 'ts_ms',
  txid: 'txId',
  serverid: 'server_id',
};

/** Whether a value is a CloudEvent of Debezium's converter. */
export const isCloudEvent = (value: unknown): value is Members =>
  isRecord(value) &&
  typeof value.specversion === 'string' &&
  typeof value.source === 'string' &&
  'data' in value;

/** The envelope that a CloudEvent contains. Its attributes hold what its data lacks: the operation and its place in the log. */
export function fromCloudEvent(source: Source, event: Members, value: Unwrapped): Unwrapped {
  const data = unwrapData(source, event.data);
  const { payload } = data;
  if (!isRecord(payload)) return unreadable(source, payload === null ? 'not_an_envelope' : 'data_not_json');
  const { op, ...origin } = attributesOf(event);
  return {
    // The schema of the whole event describes its data too.
    decoder: payload === event.data ? value.decoder : data.decoder,
    payload: { op, ...payload, source: isRecord(payload.source) ? { ...origin, ...payload.source } : origin },
  };
}

/** A schema nested too deeply is no schema. */
function unwrapData(source: Source, data: unknown): Unwrapped {
  try {
    return unwrap(source, 'value', data);
  } catch {
    return unreadable(source, 'data_not_json');
  }
}

function attributesOf(event: Members): Record<string, unknown> {
  const attributes: Record<string, unknown> = {};
  for (const [attribute, value] of Object.entries(event)) {
    const name = ATTRIBUTE.exec(attribute)?.groups?.name?.toLowerCase();
    if (name !== undefined) attributes[SOURCE_NAMES[name] ?? name] = name === 'tsms' ? countOf(value) : value;
  }
  return attributes;
}

/** Attributes have whole numbers as text, because they are of 64 bits. */
const countOf = (value: unknown): unknown =>
  typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
