import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../http/errors.ts';
import type { QueryParts } from '../parts.ts';
import { requestUpstream } from './request-upstream.ts';
import { deprecationHeaders, MIGRATION_PATH, type V1Settings } from './settings.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** Less than the deadline of every request, so the client gets the cause of a failure. */
const DEADLINE_MS = 14_000;
/** Another service serves profiles. */
const PROFILE_PATH = /^\/api\/v1\/me(?:[/?]|$)/i;
/** A path that the upstream could resolve to one outside v1. */
const TRAVERSAL_PATH = /(?:\/|%2f|\\|%5c)(?:\.|%2e){1,2}(?:\/|%2f|\\|%5c|$)/i;

/** Headers of one connection (RFC 9110, 7.6.1), and `expect`, to which the service has already responded. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Version 1: proxied to its upstream if there is one, else 404. */
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
      // Rejects before the body is read.
      onRequest: (request, _reply, next) => next(rejectionOf(request, v1)),
      handler: (_request, reply) => {
        if (v1 === null) throw gone();
        return proxy(reply, v1, parts.baseUrl());
      },
    });
  done();
};

function rejectionOf({ url }: FastifyRequest, v1: V1Settings | null): ApiError | undefined {
  const [path = ''] = url.split('?', 1);
  if (PROFILE_PATH.test(path)) return new ApiError('not_found');
  if (v1 === null) return gone();
  return TRAVERSAL_PATH.test(path) ? new ApiError('malformed_request') : undefined;
}

const gone = (): ApiError =>
  new ApiError('not_found', {
    message: 'Version 1 of the API is not served here.',
    hint: `${MIGRATION_PATH} lists the replacement of each of its routes.`,
    next: MIGRATION_PATH,
  });

async function proxy(reply: FastifyReply, v1: V1Settings, baseUrl: string): Promise<FastifyReply> {
  const { request } = reply;
  const disconnected = new AbortController();
  reply.raw.once('close', () => disconnected.abort());
  const { host: _host, 'content-length': _length, ...headers } = passHeaders(request.headers);
  const response = await requestUpstream(
    v1.upstreamUrl,
    {
      method: request.method,
      path: request.raw.url ?? '',
      headers: { ...headers, ...forwarded(request, baseUrl) },
      body: Buffer.isBuffer(request.body) ? request.body : null,
    },
    { deadlineMs: v1.deadlineMs ?? DEADLINE_MS, signal: disconnected.signal },
  );
  const { link, ...deprecation } = deprecationHeaders(v1, baseUrl);
  const passed = passHeaders(response.headers);
  reply.code(response.statusCode ?? 502).headers({ ...passed, ...deprecation });
  reply.header('link', [passed.link, link].flat().filter(Boolean).join(', '));
  // Every 503 of this service asks the client to wait.
  if (response.statusCode === 503 && passed['retry-after'] === undefined) reply.header('retry-after', '5');
  const { location } = passed;
  if (typeof location === 'string')
    reply.header('location', publicLocation(location, v1.upstreamUrl, baseUrl));
  return reply.send(response);
}

/** The end-to-end headers: without those of the connection and those that `connection` names. */
export function passHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name) && !named.has(name)),
  );
}

/** The client and the host as the upstream would see them without this proxy. */
const forwarded = (request: FastifyRequest, baseUrl: string): Record<string, string> => ({
  'x-forwarded-for': request.ip,
  'x-forwarded-host': new URL(baseUrl).host,
  'x-forwarded-proto': request.protocol,
  'x-request-id': request.id,
});

/** Redirects within the upstream become redirects within this service. */
const publicLocation = (location: string, upstreamUrl: string, baseUrl: string): string =>
  location.startsWith(`${upstreamUrl}/`) ? baseUrl + location.slice(upstreamUrl.length) : location;
