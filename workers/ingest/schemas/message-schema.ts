import type { Reason } from '../decode/reason.ts';

/** A schema of a registry, ready to decode what it describes. */
export interface MessageSchema {
  /** The same schema in the form that Connect's JSON messages have it; null if the messages say it themselves. */
  readonly connectSchema: unknown;
  /**
   * Decodes bytes in the wire format to what the same message in JSON holds: integers beyond 2^53 as bigint, bytes as
   * base64. @throws Error for bytes that do not fit the schema
   */
  decode(framed: Buffer): unknown;
}

/** Why there is no schema of an id. */
export type MissingSchema = Extract<Reason, 'no_schema_registry' | 'unknown_schema' | 'unusable_schema'>;

/** The schemas that are known by now. */
export interface KnownSchemas {
  /** The schema of an id, or why there is none. Ids must have been resolved before. */
  find(id: number): MessageSchema | MissingSchema;
}

/** The schemas of a worker without a registry. */
export const NO_SCHEMAS: KnownSchemas = { find: () => 'no_schema_registry' };

/** A number if it is exact, else a bigint. */
export const exactInteger = (value: bigint): number | bigint =>
  value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;

/** JSON has text for what is not a finite number. */
export const readDouble = (value: number): number | string =>
  Number.isFinite(value) ? value : String(value);

/** JSON has the shortest decimal number that is the same single. */
export function readSingle(value: number): number | string {
  for (let digits = 6; digits < 9; digits++) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return readDouble(shorter);
  }
  return readDouble(Number(value.toPrecision(9)));
}
