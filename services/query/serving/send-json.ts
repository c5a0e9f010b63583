import type { FastifyReply } from 'fastify';
import { JSON_TYPE } from '../../http/json-type.ts';

/**
 * Answers with JSON text as it is.
 *
 * @returns the reply, for a handler to return: while the answer is compressed, anything else would be taken for it
 */
export function sendJson<Reply extends FastifyReply>(reply: Reply, json: string): Reply {
  // The deadline may have answered meanwhile.
  if (!reply.sent) reply.header('cache-control', 'private, no-cache').type(JSON_TYPE).send(json);
  return reply;
}
