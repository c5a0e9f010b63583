import { definePlugin } from '../define-plugin.ts';

/** Names the query parameters that a route does not know. */
export const IGNORED = 'X-Linernotes-Ignored';
const MOST_NAMED = 20;
const MAX_NAME_LENGTH = 100;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route itself rejects unknown query parameters. */
    rejectsUnknown?: boolean;
  }
}

/** Drops unknown query parameters before validation, and names them in a header: percent-encoded, separated by commas. */
export const ignoredParameters = definePlugin('ignored-parameters', [], (app) => {
  app.addHook('onRoute', (route) => {
    // Pages and the proxy of version 1 have no schema: their queries are their own.
    if (route.schema === undefined || route.config?.rejectsUnknown) return;
    const { properties = {} } = (route.schema.querystring ?? {}) as { readonly properties?: object };
    // Before the hooks of the route, which read the query.
    route.preValidation = [
      (request, reply, done) => {
        const query = request.query as Record<string, unknown>;
        const unknown = Object.keys(query).filter((name) => !Object.hasOwn(properties, name));
        for (const name of unknown) delete query[name];
        if (unknown.length > 0) reply.header(IGNORED, unknown.slice(0, MOST_NAMED).map(encoded).join(', '));
        done();
      },
      ...[route.preValidation ?? []].flat(),
    ];
  });
});

/** A header holds only ASCII; half a character at the cut becomes a replacement character. */
const encoded = (name: string): string => encodeURIComponent(name.slice(0, MAX_NAME_LENGTH).toWellFormed());
