import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { networkOf } from '../../http/client-network.ts';
import { definePlugin } from '../../http/define-plugin.ts';
import { ApiError } from '../../http/errors.ts';
import type { RateLimits } from '../../http/limits/rate-limits.ts';
import { rateLimited } from '../../http/plugins/rate-limit.ts';
import { addRequestHook } from '../../http/plugins/request-hook.ts';
import type { KeyUse } from './key-use.ts';
import type { AccessKey, KeyVerifier } from './verify-key.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The API key of a request to a keyed route; null on public routes. */
    accessKey: AccessKey | null;
  }
  interface FastifyContextConfig {
    /** Whether the route works without an API key. */
    isPublic?: boolean;
  }
}

export interface ApiKeyOptions {
  readonly verifier: KeyVerifier;
  readonly limits: RateLimits;
  readonly use: KeyUse;
}

/** Lets only requests with a valid key through to keyed routes. */
export const apiKey = definePlugin<ApiKeyOptions>(
  'api-key',
  ['in-flight', 'route-list'],
  (app, { verifier, limits, use }) => {
    app.decorateRequest('accessKey', null);
    const admit: onRequestHookHandler = (request, reply, done) => {
      const open = (key: AccessKey | null): void => {
        if (key === null) {
          reject(reply, 'invalid_api_key', done);
          return;
        }
        request.accessKey = key;
        app.inFlight.verified(request.inFlight, key.id);
        use.record(key.id);
        done();
      };
      const text = keyTextOf(request);
      if (text === null) return reject(reply, 'missing_api_key', done);
      const known = verifier.known(text);
      if (known !== undefined) return open(known);
      // Verify even after failures from this network, so that they cannot lock out a valid key.
      verifier.verify(text).then(open, done);
    };
    app.addHook('onRoute', (route) => {
      if (!route.config?.isPublic) addRequestHook(route, admit);
    });
    app.addHook('onClose', () => use.stop());

    function reject(
      reply: FastifyReply,
      code: 'missing_api_key' | 'invalid_api_key',
      done: (error: ApiError) => void,
    ): void {
      limits
        .ofFailure(networkOf(reply.request.ip))
        .then((failures) =>
          done(
            failures.rejectedBy === null
              ? new ApiError(code, hintFor(code, reply.request))
              : rateLimited(reply, failures),
          ),
        );
    }
  },
);

/** Many APIs take the key as a bearer token. */
const hintFor = (code: string, { headers }: FastifyRequest): { hint?: string } =>
  code === 'missing_api_key' && headers.authorization !== undefined
    ? { hint: 'Send the key as X-API-Key: <key>; this route does not read the Authorization header.' }
    : {};

/** The text of a request's key; null without one. */
export function keyTextOf({ headers }: FastifyRequest): string | null {
  const text = headers['x-api-key'];
  return typeof text === 'string' && text !== '' ? text : null;
}
