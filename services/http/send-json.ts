import type { FastifyReply } from 'fastify';
import { JSON_TYPE } from './json-type.ts';

/**
 * Responds with JSON text unchanged.
 *
 * @returns the reply, for a handler to return: until compression ends, any other value would be sent instead
 */
export function sendJson<Reply extends FastifyReply>(
  reply: Reply,
  json: string,
  cacheControl = 'private, no-cache',
): Reply {
  // The deadline's response may have been sent meanwhile.
  if (!reply.sent) reply.header('cache-control', cacheControl).type(JSON_TYPE).send(json);
  return reply;
}
