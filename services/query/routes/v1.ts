import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';
import type { QueryParts } from '../parts.ts';
import { askUpstream } from '../serving/v1/ask-upstream.ts';
import { passHeaders } from '../serving/v1/pass-headers.ts';
import { deprecationHeaders, MIGRATION_PATH, type V1Settings } from '../serving/v1/settings.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** So that what fails is told before the deadline of the request cuts it short. */
const DEADLINE_MS = 14_000;
/** Profiles, which another service answers for. */
const PROFILE_PATH = /^\/api\/v1\/me(?:[/?]|$)/i;
/** A path that the upstream could take for one outside of v1. */
const CLIMBING_PATH = /(?:\/|%2f|\\|%5c)(?:\.|%2e){1,2}(?:\/|%2f|\\|%5c|$)/i;

/** The version before this one: passed on to where it is still served, else gone. */
export const v1Routes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (app, { parts }, done) => {
  const { v1 = null } = parts;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, parsed) => parsed(null, body));
  const config = { isPublic: true, isUnlisted: true };
  for (const url of ['/api/v1', '/api/v1/*'])
    app.route({
      method: METHODS,
      url,
      config,
      // Before a body is read for nothing.
      onRequest: (request, _reply, next) => next(refusalOf(request, v1)),
      handler: (request, reply) => {
        if (v1 === null) throw gone();
        return passOn(request, reply, v1, parts.baseUrl());
      },
    });
  done();
};

function refusalOf({ url }: FastifyRequest, v1: V1Settings | null): ApiError | undefined {
  const [path = ''] = url.split('?', 1);
  if (PROFILE_PATH.test(path)) return new ApiError('not_found');
  if (v1 === null) return gone();
  return CLIMBING_PATH.test(path) ? new ApiError('malformed_request') : undefined;
}

const gone = (): ApiError =>
  new ApiError('not_found', {
    message: 'Version 1 of the API is not served here.',
    hint: `${MIGRATION_PATH} says what takes the place of each of its routes.`,
    next: MIGRATION_PATH,
  });

async function passOn(
  request: FastifyRequest,
  reply: FastifyReply,
  v1: V1Settings,
  baseUrl: string,
): Promise<FastifyReply> {
  const left = new AbortController();
  reply.raw.once('close', () => left.abort());
  const { host: _host, 'content-length': _length, ...headers } = passHeaders(request.headers);
  const answer = await askUpstream(
    v1.upstreamUrl,
    {
      method: request.method,
      path: request.raw.url ?? '',
      headers: { ...headers, ...forwarded(request, baseUrl) },
      body: Buffer.isBuffer(request.body) ? request.body : null,
    },
    { deadlineMs: v1.deadlineMs ?? DEADLINE_MS, signal: left.signal },
  );
  const { link, ...deprecation } = deprecationHeaders(v1, baseUrl);
  const given = passHeaders(answer.headers);
  reply.code(answer.statusCode ?? 502).headers({ ...given, ...deprecation });
  reply.header('link', [given.link, link].flat().filter(Boolean).join(', '));
  const { location } = given;
  if (typeof location === 'string') reply.header('location', inPublic(location, v1.upstreamUrl, baseUrl));
  return reply.send(answer);
}

/** Whom the upstream would have seen without this service in between; the host by the name that it is known by. */
const forwarded = (request: FastifyRequest, baseUrl: string): Record<string, string> => ({
  'x-forwarded-for': request.ip,
  'x-forwarded-host': new URL(baseUrl).host,
  'x-forwarded-proto': request.protocol,
  'x-request-id': request.id,
});

/** A redirect within the upstream is one within this service. */
const inPublic = (location: string, upstreamUrl: string, baseUrl: string): string =>
  location.startsWith(`${upstreamUrl}/`) ? baseUrl + location.slice(upstreamUrl.length) : location;
