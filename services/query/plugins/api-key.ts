import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { KeyUse } from '../../access/key-use.ts';
import type { AccessKey, KeyVerifier } from '../../access/verify-key.ts';
import { visitorOf } from '../../http/client-network.ts';
import { definePlugin } from '../../http/define-plugin.ts';
import { ApiError } from '../errors.ts';
import type { RateLimits } from '../serving/rate-limits.ts';
import { rateLimited } from './rate-limit.ts';
import { addRequestHook } from './request-hook.ts';

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
  readonly use: KeyUse;
}

/** Lets only requests with a valid key through to keyed routes. */
export const apiKey = definePlugin<ApiKeyOptions>(
  'api-key',
  ['route-list'],
  (app, { verifier, limits, use }) => {
    app.decorateRequest('accessKey', null);
    const admit: onRequestHookHandler = (request, reply, done) => {
      const open = (key: AccessKey | null): void => {
        if (key === null) {
          refuse(request, reply, 'invalid_api_key', done);
          return;
        }
        request.accessKey = key;
        use.note(key.id);
        done();
      };
      const text = keyTextOf(request);
      if (text === null) return refuse(request, reply, 'missing_api_key', done);
      const known = verifier.known(text);
      if (known !== undefined) return open(known);
      // Failures of others behind the same address must not keep a valid key out, so it is asked for all the same.
      verifier.verify(text).then(open, done);
    };
    app.addHook('onRoute', (route) => {
      if (!route.config?.isPublic) addRequestHook(route, admit);
    });
    app.addHook('onClose', () => use.stop());

    function refuse(
      { ip }: FastifyRequest,
      reply: FastifyReply,
      code: 'missing_api_key' | 'invalid_api_key',
      done: (refusal: ApiError) => void,
    ): void {
      limits.ofFailure(visitorOf(ip).network, (failures) =>
        done(failures.refusedBy === null ? new ApiError(code) : rateLimited(reply, failures)),
      );
    }
  },
);

function keyTextOf({ headers }: FastifyRequest): string | null {
  const text = headers['x-api-key'];
  return typeof text === 'string' && text !== '' ? text : null;
}
