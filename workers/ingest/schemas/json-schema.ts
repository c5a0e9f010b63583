import { parseJsonAsWritten } from '../decode/json.ts';
import type { MessageSchema } from './message-schema.ts';
import { PAYLOAD_AT } from './wire-format.ts';

/** A JSON Schema: the message is plain JSON after the id of the schema, which adds nothing to it. */
export const jsonSchema = (): MessageSchema => ({
  connectSchema: null,
  decode: (framed) => parseJsonAsWritten(framed.toString('utf8', PAYLOAD_AT)),
});
