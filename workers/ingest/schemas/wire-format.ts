/**
 * The wire format of schema registries: a zero byte, the schema's id in four bytes, then what the schema describes.
 * JSON never starts with a zero byte.
 */
const MAGIC = 0;
/** Where the described bytes begin. */
export const PAYLOAD_AT = 5;

type Content = string | Buffer | null;

/** Whether a part of a record is in the wire format of a registry. */
export const isFramed = (content: Content): content is Buffer =>
  content !== null && content[0] === MAGIC && content.length >= PAYLOAD_AT;

/** Whether a part was in that format before it became text, which lost bytes of it. */
export const isFramedText = (content: Content): boolean =>
  typeof content === 'string' && content.charCodeAt(0) === MAGIC;

/** The id of the schema that a part in the wire format names. */
export const schemaIdOf = (framed: Buffer): number => framed.readUInt32BE(1);

/** The keys and values of some records. */
export interface Parts {
  readonly key: Content;
  readonly value: Content;
}

/** The ids of the schemas that the keys and values of some records name. */
export function schemaIdsOf(records: readonly Parts[]): Set<number> {
  const ids = new Set<number>();
  for (const { key, value } of records) {
    if (isFramed(key)) ids.add(schemaIdOf(key));
    if (isFramed(value)) ids.add(schemaIdOf(value));
  }
  return ids;
}
