import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { type TSchema, Type } from '@sinclair/typebox';
import type { Pool } from 'pg';
import { DATABASE_ERRORS } from '../../http/database-errors.ts';
import type { QueryParts } from '../parts.ts';
import { BeaconError, sendBeaconError } from './beacon-error.ts';
import { type ParsedEvent, parseEvent, parseJson } from './parse-event.ts';
import { BeaconErrorBody, ObservedEvent, RefinedEvent } from './schema.ts';
import { storeObserved, storeRefined } from './store-event.ts';
import type { BeaconTokens } from './tokens.ts';

/** The specification caps the body of a beacon. */
const MOST_BYTES = 512;

/** In the order of the checks. */
const BEACON_ERRORS = [
  'missing_token',
  'invalid_token',
  'invalid_json',
  'invalid_payload',
  'token_search_event_mismatch',
  'timestamp_skew',
  ...DATABASE_ERRORS,
] as const;

const EVENT_RULES =
  'Needs the beacon_token of the search as bearer token, not an API key. A repeated event changes nothing. Bodies have at most 512 bytes, and timestamp is within five minutes of the clock of the service.';

interface Beacon<E> {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly body: TSchema & { static: E };
  readonly store: (pool: Pool, event: ParsedEvent<E>) => Promise<void>;
}

/**
 * Beacons about searches. They need the token of the search, not an API key. The checks run in this order: size, token,
 * JSON, payload, match with the token, clock.
 */
export const searchEventRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (
  app,
  { parts },
  done,
) => {
  // Keep the raw body, whatever its content type, because the token is checked before the JSON.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MOST_BYTES }, (_request, body, parsed) =>
    parsed(null, body),
  );

  function receive<E extends { search_event_id: string }>(beacon: Beacon<E>): void {
    const { path, operationId, summary, description, body, store } = beacon;
    app.post(
      path,
      {
        bodyLimit: MOST_BYTES,
        config: { isPublic: true, sendError: sendBeaconError, errors: BEACON_ERRORS },
        schema: {
          tags: ['search'],
          security: [{ BeaconToken: [] }],
          operationId,
          summary,
          description,
          body,
          response: { 204: Type.Null(), '4xx': BeaconErrorBody, '5xx': BeaconErrorBody },
        },
        // The schema is documentation only: the body is validated after the token.
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
    summary: 'Report that a search result was served from a cache',
    description: `Records that a client showed a result again without a request. ${EVENT_RULES}`,
    body: ObservedEvent,
    store: storeObserved,
  });
  receive({
    path: '/api/v2/search-events/refined',
    operationId: 'refineSearch',
    summary: 'Report that the filters of a search were changed',
    description: `Records up to 10 filters that a user changed. ${EVENT_RULES} Of one search the first hundred such events are stored.`,
    body: RefinedEvent,
    store: storeRefined,
  });
  done();
};

const BEARER = /^Bearer +(?<token>[\w-]+\.[\w-]+\.[\w-]*)$/i;

/** Maximum difference between the timestamp of an event and the clock of the service. */
const SKEW_TOLERANCE_MS = 5 * 60_000;

/** The search event of the token in an Authorization header. @throws BeaconError `missing_token`, `invalid_token` */
async function openBeacon(tokens: BeaconTokens, authorization: string | undefined): Promise<string> {
  if (authorization === undefined || /^\s*(?:Bearer\s*)?$/i.test(authorization))
    throw new BeaconError('missing_token');
  const token = BEARER.exec(authorization)?.groups?.token;
  const searchEventId = token === undefined ? null : await tokens.verify(token);
  if (searchEventId === null) throw new BeaconError('invalid_token');
  return searchEventId;
}

/** @throws BeaconError `token_search_event_mismatch` if the token belongs to another search */
function checkMatch(searchEventId: string, ofToken: string): void {
  if (searchEventId.toLowerCase() !== ofToken.toLowerCase())
    throw new BeaconError('token_search_event_mismatch');
}

/** @throws BeaconError `timestamp_skew` with the difference */
function checkSkew(at: number, now: number): void {
  const skewMs = at - now;
  if (Math.abs(skewMs) > SKEW_TOLERANCE_MS) throw new BeaconError('timestamp_skew', { skewMs });
}
