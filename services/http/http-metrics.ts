import type { onResponseHookHandler } from 'fastify';
import type { Registry } from 'prom-client';
import { definePlugin } from './define-plugin.ts';
import { durationHistogram, type Observe } from './duration-histogram.ts';

/** Counts and times requests by the pattern of their route and the status of their answer. */
export const httpMetrics = definePlugin<{ readonly registry: Registry }>(
  'http-metrics',
  [],
  (app, { registry }) => {
    const seriesOf = durationHistogram(
      {
        registry,
        name: 'linernotes_http_request_seconds',
        help: 'Time from a request to the end of its answer.',
        buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
      },
      ['route', 'status'],
    );

    function observerOf(route: string): onResponseHookHandler {
      const byStatus = new Map<number, Observe>();
      return (_request, reply, done) => {
        let observe = byStatus.get(reply.statusCode);
        if (observe === undefined) {
          observe = seriesOf({ route, status: String(reply.statusCode) });
          byStatus.set(reply.statusCode, observe);
        }
        observe(reply.elapsedTime / 1000);
        done();
      };
    }

    app.addHook('onRoute', (route) => {
      route.onResponse = [observerOf(route.url), ...[route.onResponse ?? []].flat()];
    });
    // What no route was found for has no hooks of one.
    const observeUnrouted = observerOf('none');
    app.addHook('onResponse', function (request, reply, done) {
      if (request.is404) observeUnrouted.call(this, request, reply, done);
      else done();
    });
  },
);
