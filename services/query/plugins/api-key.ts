import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AccessKey, KeyVerifier } from '../../access/verify-key.ts';
import { ApiError } from '../errors.ts';
import type { RateLimits } from '../serving/rate-limits.ts';
import { definePlugin } from './define-plugin.ts';
import { rateLimited } from './rate-limit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The key that opened a keyed route; null on public ones. */
    accessKey: AccessKey | null;
  }
  interface FastifyContextConfig {
    /** Whether the route answers without a key. */
    isPublic?: boolean;
  }
}

export interface ApiKeyOptions {
  readonly verifier: KeyVerifier;
  readonly limits: RateLimits;
}

/** Lets only requests with a valid key through to keyed routes. */
export const apiKey = definePlugin<ApiKeyOptions>('api-key', ['route-list'], (app, { verifier, limits }) => {
  app.decorateRequest('accessKey', null);
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.isPublic) return done();
    const text = keyTextOf(request);
    if (text === null) return done(refusal(request, reply, 'missing_api_key'));
    const known = verifier.known(text);
    if (known === null) return done(refusal(request, reply, 'invalid_api_key'));
    if (known !== undefined) {
      request.accessKey = known;
      return done();
    }
    // Failures of others behind the same address must not keep a valid key out, so it is asked for all the same.
    verifier.verify(text).then((key) => {
      request.accessKey = key;
      if (key === null) done(refusal(request, reply, 'invalid_api_key'));
      else done();
    }, done);
  });

  function refusal(
    request: FastifyRequest,
    reply: FastifyReply,
    code: 'missing_api_key' | 'invalid_api_key',
  ): ApiError {
    const failures = limits.ofFailure(request.ip);
    return failures.isAllowed ? new ApiError(code) : rateLimited(reply, failures);
  }
});

function keyTextOf({ headers }: FastifyRequest): string | null {
  const text = headers['x-api-key'];
  return typeof text === 'string' && text !== '' ? text : null;
}
