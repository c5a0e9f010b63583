import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { type TSchema, Type } from '@sinclair/typebox';
import type { Pool } from 'pg';
import { answerBeaconError } from '../beacons/answer-error.ts';
import { type ParsedEvent, parseEvent, parseJson } from '../beacons/parse-event.ts';
import { checkMatch, checkSkew, openBeacon } from '../beacons/refuse.ts';
import { storeObserved, storeRefined } from '../beacons/store-event.ts';
import type { QueryParts } from '../parts.ts';
import { BeaconErrorBody, ObservedEvent, RefinedEvent } from '../schemas/search-events.ts';

/** A beacon says little; what is longer is none. */
const MOST_BYTES = 512;

interface Beacon<E> {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly body: TSchema & { static: E };
  readonly store: (pool: Pool, event: ParsedEvent<E>) => Promise<void>;
}

/**
 * What clients tell of searches that they were answered. The token of the search opens them, not an API key. What is
 * refused is refused for its size first, then for its token, JSON, payload, match with the token, and clock.
 */
export const searchEventRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (
  app,
  { parts },
  done,
) => {
  // As it came, whatever it is said to be: the token is looked at before the JSON.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MOST_BYTES }, (_request, body, parsed) =>
    parsed(null, body),
  );

  function receive<E extends { search_event_id: string }>(beacon: Beacon<E>): void {
    const { path, operationId, summary, body, store } = beacon;
    app.post(
      path,
      {
        bodyLimit: MOST_BYTES,
        config: { isPublic: true, answerError: answerBeaconError },
        schema: {
          tags: ['search'],
          security: [{ BeaconToken: [] }],
          operationId,
          summary,
          body,
          response: { 204: Type.Null(), '4xx': BeaconErrorBody, '5xx': BeaconErrorBody },
        },
        // The schema is there to be read: the body is held against it only after the token.
        validatorCompiler: () => () => true,
      },
      async (request, reply) => {
        const searchEventId = await openBeacon(parts.beacons, request.headers.authorization);
        const event = parseEvent(body, parseJson(request.body));
        checkMatch(event.event.search_event_id, searchEventId);
        checkSkew(event.at, parts.now());
        await store(parts.accessPool, event);
        return reply.code(204).header('cache-control', 'no-store').send(null);
      },
    );
  }

  receive({
    path: '/api/v2/search-events/observed',
    operationId: 'observeSearch',
    summary: 'Tells that a search result was served from a cache',
    body: ObservedEvent,
    store: storeObserved,
  });
  receive({
    path: '/api/v2/search-events/refined',
    operationId: 'refineSearch',
    summary: 'Tells that the filters of a search were changed',
    body: RefinedEvent,
    store: storeRefined,
  });
  done();
};
