import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest, preHandlerHookHandler } from 'fastify';
import { Counter, Gauge, type Registry } from 'prom-client';
import { showConnections } from '../connection-metrics.ts';
import { definePlugin } from '../define-plugin.ts';
import { ApiError, errorBody, errorHeaders } from '../errors.ts';
import type { FairQueue } from '../fair-queue.ts';
import type { InFlightRequest, InFlightRequests, ReachedCap } from '../in-flight.ts';
import { JSON_TYPE } from '../json-type.ts';
import type { LoadLimit } from '../load-limit.ts';
import { requestIdOf } from '../request-id.ts';
import type { ResponseHead } from './response-head.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly inFlight: InFlightRequests;
  }
  interface FastifyRequest {
    /** Null if the request was shed. */
    inFlight: InFlightRequest | null;
  }
  interface FastifyContextConfig {
    /** Whether the route responds under any load. */
    isNeverShed?: boolean;
  }
}

export interface InFlightPluginOptions {
  readonly inFlight: InFlightRequests;
  readonly load: LoadLimit;
  /** Where requests wait, from which the largest party sheds for smaller ones. */
  readonly queue: FairQueue;
  /** The id of a request's key, if it was valid lately. */
  readonly keyIdOf: (request: FastifyRequest) => string | null;
  readonly head: ResponseHead;
  readonly baseUrl: () => string;
  readonly metrics: Registry | null;
}

const RETRY_AFTER_SECONDS = 1;

/**
 * Counts in-flight requests, rejects those beyond the caps of their client and sheds those beyond the load limit. The first of all plugins, so that a shed request costs
 * next to nothing.
 */
export const inFlight = definePlugin<InFlightPluginOptions>(
  'in-flight',
  [],
  (app, { inFlight: all, load, queue, keyIdOf, head, baseUrl, metrics }) => {
    const sendBare = bareSender(head, baseUrl);
    const { countShed, countCapped } = metrics === null ? uncounted : countersIn(metrics, all, load);
    const enter = (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
      request.inFlight = all.enter(request, reply);
      done();
    };
    /** Sheds waiting work of the party with most in flight, if that is another one. */
    const makeRoom = (request: FastifyRequest): boolean => {
      const party = keyIdOf(request) ?? all.networkOf(request);
      const larger = all.largerParty(party, queue.hasWaiting);
      if (larger === null) return false;
      countShed();
      queue.shedFrom(larger);
      return true;
    };
    /** Keyless requests get half of the limit at most, so that a crowd of addresses cannot take all of it. */
    const admits = (request: FastifyRequest): boolean => {
      const [working, keyless] = [all.working(), all.keyless()];
      const isUnderLimit = load.admits(working);
      if (isUnderLimit && load.admits(2 * keyless)) return true;
      if (keyIdOf(request) === null) return false;
      return isUnderLimit || load.admits(2 * (working - keyless));
    };
    app.server.on('connection', all.connections.add);
    // Node has one limit for all clients, tells it to each of them, and has a timer for each connection. Fastify takes 0 for
    // its default.
    app.server.keepAliveTimeout = 0;
    // Node hands over all requests of a read at once. Those too many are dropped before Fastify, which would take a hundred
    // times as long for each, while every other connection waits.
    const [handle] = app.server.listeners('request');
    app.server.removeAllListeners('request');
    app.server.on('request', (request, response) => {
      const admitted = all.connections.admits(request.socket);
      if (admitted === 'yes') return handle?.call(app.server, request, response);
      if (admitted === 'no') return;
      countCapped('perConnection');
      response.shouldKeepAlive = false;
      const headers = capHeaders(all.connections.limits.perTurn);
      sendBare(response, requestIdOf(request), { error: CAPPED.perConnection, headers });
    });
    app.decorate('inFlight', all);
    app.decorateRequest('inFlight', null);
    app.addHook('onRequest', (request, reply, done) => {
      const reached = all.reachedCap(request);
      // Fastify builds `routeOptions` for each access.
      if (reached === null && (admits(request) || makeRoom(request))) return enter(request, reply, done);
      const { isNeverShed, sendError } = request.routeOptions.config;
      if (isNeverShed && reached !== 'perConnection') return enter(request, reply, done);
      if (reached === null) countShed();
      else countCapped(reached);
      const error = reached === null ? OVERLOADED : CAPPED[reached];
      const headers = reached === null ? {} : capHeaders(all.caps[reached]);
      // Some routes have their own form of errors.
      if (sendError === undefined) {
        reply.hijack();
        return sendBare(reply.raw, request.id, { error, headers });
      }
      reply.headers(headers);
      done(error);
    });
    app.addHook('onResponse', (request, _reply, done) => {
      if (request.inFlight !== null) all.end(request.inFlight);
      done();
    });
    // After the body has been read. Routes of stored bytes share one read between requests.
    const withinRequest: preHandlerHookHandler = (request, _reply, done) =>
      all.within(request.inFlight, done);
    app.addHook('onRoute', (route) => {
      if (!route.config?.sendsStoredBytes)
        route.preHandler = [withinRequest, ...[route.preHandler ?? []].flat()];
    });
    app.addHook('preClose', (done) => {
      all.closeConnections();
      done();
    });
    app.addHook('onClose', async () => all.stop());
  },
);

export const OVERLOADED = new ApiError('overloaded');

const capped = (message: string): ApiError =>
  new ApiError('rate_limited', {
    message,
    hint: 'Wait for responses before sending more requests, and read them to their end.',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });

const CAPPED: Readonly<Record<ReachedCap, ApiError>> = {
  perConnection: capped('This connection has too many concurrent requests.'),
  perAddress: capped('This address has too many concurrent requests without an API key.'),
};

const capHeaders = (cap: number): Record<string, string> => ({
  'x-ratelimit-limit': String(cap),
  'x-ratelimit-remaining': '0',
  'x-ratelimit-reset': String(Math.ceil(Date.now() / 1_000) + RETRY_AFTER_SECONDS),
});

interface BareError {
  readonly error: ApiError;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends an error past all hooks; all but its id and the given headers is made once. */
function bareSender(
  head: ResponseHead,
  baseUrl: () => string,
): (response: ServerResponse, requestId: string, bare: BareError) => void {
  const made = new Map<ApiError, { url: string; body: Buffer; headers: Record<string, string> }>();

  function make(error: ApiError, url: string) {
    const body = Buffer.from(JSON.stringify(errorBody(error, url, '')));
    const headers = {
      ...head.common,
      ...errorHeaders(error),
      'content-type': JSON_TYPE,
      'content-length': String(body.length),
    };
    made.set(error, { url, body, headers });
    return { body, headers };
  }

  return (response, requestId, { error, headers: more }) => {
    const url = baseUrl();
    const known = made.get(error);
    const { body, headers } = known?.url === url ? known : make(error, url);
    response.setHeader('x-request-id', requestId);
    response.writeHead(error.status, { ...headers, ...more }).end(body);
  };
}

interface Counters {
  readonly countShed: () => void;
  readonly countCapped: (reached: ReachedCap) => void;
}

const uncounted: Counters = { countShed: () => {}, countCapped: () => {} };

function countersIn(registry: Registry, inFlight: InFlightRequests, load: LoadLimit): Counters {
  const registers = [registry];
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name: `linernotes_${name}`,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  gauge('requests_in_flight', 'In-flight requests.', inFlight.count);
  gauge('requests_in_flight_limit', 'Current limit of in-flight requests.', load.current);
  gauge('requests_under_way', 'Renamed: use linernotes_requests_in_flight.', inFlight.count);
  gauge('requests_under_way_limit', 'Renamed: use linernotes_requests_in_flight_limit.', load.current);
  gauge('event_loop_delay_seconds', 'Recent event-loop delay.', () => load.delayMs() / 1_000);
  const shed = new Counter({
    name: 'linernotes_requests_shed_total',
    help: 'Requests that were shed because of load.',
    registers,
  });
  const rejected = new Counter({
    name: 'linernotes_requests_capped_total',
    help: 'Requests that were rejected because their connection or their address had too many in flight.',
    labelNames: ['cap'],
    registers,
  });
  showConnections(inFlight.connections, registry);
  return {
    countShed: () => shed.inc(),
    countCapped: (reached) => rejected.inc({ cap: reached === 'perConnection' ? 'connection' : 'address' }),
  };
}
