import type { onResponseHookHandler } from 'fastify';
import { Histogram, type Registry } from 'prom-client';
import { definePlugin } from './define-plugin.ts';

/** Counts and times requests by the pattern of their route and the status of their response. */
export const httpMetrics = definePlugin<{ readonly registry: Registry }>(
  'http-metrics',
  [],
  (app, { registry }) => {
    const seconds = new Histogram({
      name: 'linernotes_http_request_seconds',
      help: 'Time from a request to the end of its response.',
      labelNames: ['route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
      registers: [registry],
    });
    const observerOf =
      (route: string): onResponseHookHandler =>
      (_request, reply, done) => {
        seconds.observe({ route, status: String(reply.statusCode) }, reply.elapsedTime / 1_000);
        done();
      };

    app.addHook('onRoute', (route) => {
      route.onResponse = [observerOf(route.url), ...[route.onResponse ?? []].flat()];
    });
    // Requests without a route have no hooks of one.
    const observeUnrouted = observerOf('none');
    app.addHook('onResponse', function (request, reply, done) {
      if (request.is404) observeUnrouted.call(this, request, reply, done);
      else done();
    });
  },
);
