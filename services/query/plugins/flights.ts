import type { FastifyReply, FastifyRequest, preHandlerHookHandler } from 'fastify';
import { Counter, Gauge, type Registry } from 'prom-client';
import { definePlugin } from '../../http/define-plugin.ts';
import { JSON_TYPE } from '../../http/json-type.ts';
import { ApiError, errorBody, errorHeaders } from '../errors.ts';
import type { Flight, Flights } from '../serving/flights.ts';
import type { LoadLimit } from '../serving/load-limit.ts';
import { commonHeaders } from './answer-head.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly flights: Flights;
  }
  interface FastifyRequest {
    /** The request among all those under way; null where it was turned away. */
    flight: Flight | null;
  }
  interface FastifyContextConfig {
    /** Whether the route is answered however much there is to do. */
    isNeverShed?: boolean;
  }
}

export interface FlightsPluginOptions {
  readonly flights: Flights;
  readonly load: LoadLimit;
  readonly baseUrl: () => string;
  readonly metrics: Registry | null;
}

const RETRY_AFTER_SECONDS = 1;

/**
 * Keeps account of the requests under way, and turns away at once those that the process could only answer late, before
 * anything else is done for them. First of all plugins, so that what is refused costs next to nothing.
 */
export const flights = definePlugin<FlightsPluginOptions>(
  'flights',
  [],
  (app, { flights: all, load, baseUrl, metrics }) => {
    const refuse = refusal(baseUrl);
    const countShed = metrics === null ? () => {} : shedMetrics(metrics, all, load);
    const enter = (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
      request.flight = all.enter(request, reply);
      done();
    };
    app.decorate('flights', all);
    app.decorateRequest('flight', null);
    app.addHook('onRequest', (request, reply, done) => {
      // What is known of the route is put together anew each time it is asked for.
      if (load.admits(all.count())) return enter(request, reply, done);
      const { isNeverShed, answerError } = request.routeOptions.config;
      if (isNeverShed) return enter(request, reply, done);
      countShed();
      // Some routes have a form of their own for errors.
      if (answerError !== undefined) return done(overloaded());
      refuse(reply, request.id);
    });
    app.addHook('onResponse', (request, _reply, done) => {
      if (request.flight !== null) all.end(request.flight);
      done();
    });
    // Behind the body of a request, which is read in nobody's name. What sends stored bytes has one read that many share.
    const inItsName: preHandlerHookHandler = (request, _reply, done) => all.within(request.flight, done);
    app.addHook('onRoute', (route) => {
      if (!route.config?.sendsStoredBytes) route.preHandler = [inItsName, ...[route.preHandler ?? []].flat()];
    });
    app.addHook('preClose', (done) => {
      all.closeConnections();
      done();
    });
    app.addHook('onClose', async () => all.stop());
  },
);

const overloaded = (): ApiError => new ApiError('overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS });

/** Answers without any of what other answers go through; all but the id is made once. */
function refusal(baseUrl: () => string): (reply: FastifyReply, requestId: string) => void {
  const error = overloaded();
  let made: { readonly url: string; readonly body: Buffer; readonly headers: Record<string, string> } | null =
    null;

  function make(url: string) {
    const body = Buffer.from(JSON.stringify(errorBody(error, url, '')));
    const headers = {
      ...commonHeaders,
      ...errorHeaders(error),
      'content-type': JSON_TYPE,
      'content-length': String(body.length),
    };
    made = { url, body, headers };
    return made;
  }

  return (reply, requestId) => {
    const url = baseUrl();
    const { body, headers } = made !== null && made.url === url ? made : make(url);
    reply.hijack();
    reply.raw.setHeader('x-request-id', requestId);
    reply.raw.writeHead(error.status, headers).end(body);
  };
}

/** Answers how to count a request that is turned away. */
function shedMetrics(registry: Registry, flights: Flights, load: LoadLimit): () => void {
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
  gauge('requests_under_way', 'Requests under way.', flights.count);
  gauge('requests_under_way_limit', 'Requests that may be under way at once, for now.', load.current);
  gauge('event_loop_delay_seconds', 'How late the event loop was of late.', () => load.delayMs() / 1_000);
  const shed = new Counter({
    name: 'linernotes_requests_shed_total',
    help: 'Requests that were turned away for want of room.',
    registers,
  });
  return () => shed.inc();
}
