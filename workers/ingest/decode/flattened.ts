import type { Source } from '../../../projections/contracts/contract.ts';
import type { Unwrapped } from './connect-schema.ts';
import { isRecord } from './message.ts';
import { decoderOf } from './row-decoder.ts';

type Members = Readonly<Record<string, unknown>>;

/** Headers of a record, which `add.headers` fills. */
export type MetadataHeaders = Readonly<Record<string, string>>;

/** The default of `add.fields.prefix` and of `add.headers.prefix`. */
const PREFIX = '__';
const OP = '__op';
const SOURCE = 'source_';
/** Headers of the connector itself begin like this. */
const OF_CONNECTOR = '__debezium.';
/** Metadata outside `source`. */
const OF_ENVELOPE: ReadonlySet<string> = new Set(['op', 'ts_ms', 'ts_us', 'ts_ns', 'deleted']);
const INTEGER = /^-?\d{1,19}$/;

/** Whether a value is a row that `ExtractNewRecordState` took out of its envelope, with the operation kept somewhere. */
export const isFlattened = (value: unknown, headers: MetadataHeaders): boolean =>
  isRecord(value)
    ? value[OP] !== undefined || (headers[OP] !== undefined && value.op === undefined)
    : (value === undefined || value === null) && headers[OP] !== undefined;

/** The envelope of a flattened row, whose metadata are no columns. A value without a row is a delete. */
export function fromFlattened(source: Source, value: Unwrapped | null, headers: MetadataHeaders): Unwrapped {
  const decoder = value?.decoder ?? decoderOf(source);
  const envelope: Record<string, unknown> = {};
  const origin: Record<string, unknown> = {};
  const add = (name: string, member: unknown): void => {
    if (OF_ENVELOPE.has(name)) envelope[name] = member;
    else origin[name.startsWith(SOURCE) ? name.slice(SOURCE.length) : name] = member;
  };
  for (const [name, text] of Object.entries(headers))
    if (name.startsWith(PREFIX) && !name.startsWith(OF_CONNECTOR))
      add(name.slice(PREFIX.length), ofHeader(text));
  const row: Record<string, unknown> = {};
  for (const [name, member] of Object.entries((value?.payload ?? {}) as Members)) {
    if (name.startsWith(PREFIX)) add(name.slice(PREFIX.length), member);
    else row[name] = member;
  }
  const isDelete = envelope.op === 'd';
  return {
    decoder,
    payload: { ...envelope, before: isDelete ? row : null, after: isDelete ? null : row, source: origin },
  };
}

/** Connect writes text as it is, or as JSON. */
function ofHeader(text: string): unknown {
  if (INTEGER.test(text)) {
    const number = Number(text);
    return Number.isSafeInteger(number) ? number : BigInt(text);
  }
  return text.startsWith('"') && text.endsWith('"') && text.length > 1 ? textOf(text) : text;
}

function textOf(quoted: string): unknown {
  try {
    return JSON.parse(quoted);
  } catch {
    return quoted;
  }
}
