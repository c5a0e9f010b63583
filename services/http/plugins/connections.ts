import type { Registry } from 'prom-client';
import { showConnections } from '../connection-metrics.ts';
import type { Connections } from '../connections.ts';
import { definePlugin } from '../define-plugin.ts';

/** Bounds the connections of a service that does not count its in-flight requests otherwise. */
export const boundConnections = definePlugin<{
  readonly connections: Connections;
  readonly metrics: Registry | null;
}>('connections', [], (app, { connections, metrics }) => {
  if (metrics !== null) showConnections(connections, metrics);
  app.server.on('connection', connections.add);
  app.addHook('onRequest', (request, _reply, done) => {
    connections.begin(connections.of(request));
    done();
  });
  app.addHook('onResponse', (request, _reply, done) => {
    connections.end(connections.of(request));
    done();
  });
  app.addHook('onClose', async () => connections.stop());
});
