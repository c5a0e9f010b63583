import { Histogram, type Registry } from 'prom-client';
import { definePlugin } from './define-plugin.ts';

/** Counts and times requests by the pattern of their route and the status of their answer. */
export const httpMetrics = definePlugin<{ readonly registry: Registry }>(
  'http-metrics',
  [],
  (app, { registry }) => {
    const seconds = new Histogram({
      name: 'linernotes_http_request_seconds',
      help: 'Time from a request to the end of its answer.',
      labelNames: ['route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
      registers: [registry],
    });
    // Looking a series up by its labels costs more than the request's share of everything else here.
    const series = new Map<string, Histogram.Internal<'route' | 'status'>>();
    app.addHook('onResponse', (request, reply, done) => {
      const route = request.routeOptions.url ?? 'none';
      const name = `${reply.statusCode} ${route}`;
      let one = series.get(name);
      if (one === undefined) {
        one = seconds.labels(route, String(reply.statusCode));
        series.set(name, one);
      }
      one.observe(reply.elapsedTime / 1000);
      done();
    });
  },
);
