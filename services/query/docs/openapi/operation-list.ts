import { definePlugin } from '../../../http/define-plugin.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** What the description of the API is made from. */
    readonly operations: readonly Operation[];
  }
  interface FastifySchema {
    tags?: readonly string[];
    /** How the route is opened where neither an API key does it nor nobody has to. */
    security?: readonly Readonly<Record<string, readonly string[]>>[];
  }
}

/** One method of a route, with the schemas it was registered with. */
export interface Operation {
  /** In lower case. */
  readonly method: string;
  /** With parameters in braces. */
  readonly path: string;
  /** Empty where the route has no name. */
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[] | undefined;
  readonly isPublic: boolean;
  readonly isUnlimited: boolean;
  readonly params: unknown;
  readonly querystring: unknown;
  readonly body: unknown;
  /** By status. */
  readonly responses: Readonly<Record<string, unknown>>;
}

/**
 * Keeps every operation with its schemas, in the order of registration. HEAD goes with every GET and is left out, and so
 * is what is for people or is no part of this version.
 */
export const operationList = definePlugin('operation-list', [], (app) => {
  const operations: Operation[] = [];
  app.decorate('operations', operations);
  app.addHook('onRoute', ({ url, method, schema, config }) => {
    if (method === 'HEAD' || config?.isUnlisted) return;
    operations.push({
      method: String(method).toLowerCase(),
      path: url.replaceAll(/:(\w+)/g, '{$1}'),
      operationId: schema?.operationId ?? '',
      summary: schema?.summary ?? '',
      tags: schema?.tags ?? [],
      security: schema?.security,
      isPublic: config?.isPublic ?? false,
      isUnlimited: config?.isUnlimited ?? false,
      params: schema?.params,
      querystring: schema?.querystring,
      body: schema?.body,
      responses: { ...(schema?.response as object | undefined) },
    });
  });
});
