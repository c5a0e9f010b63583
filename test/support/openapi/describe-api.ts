import swagger from '@fastify/swagger';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { components, errorCodes } from './components.ts';
import { describeOperation } from './describe-operation.ts';
import type { ApiDocument } from './document.ts';
import type { Example } from './examples.ts';
import { plainSchema } from './plain-schema.ts';

/** In the order of the reference page. */
const TAGS: Readonly<Record<string, string>> = {
  index: 'Where to begin.',
  identity: 'From a name, a link or a foreign id to the canonical identity.',
  artist: 'Artists, their release groups and their storefront releases.',
  label: 'Labels.',
  festival: 'Festivals.',
  dossier: 'The fields of dossiers.',
  search: 'Release groups by words and facets, and reports on the results of searches.',
  tracks: 'Tracks by title, and their durations.',
  discovery: 'Artists for whom several signals coincide.',
  surface: 'Rows of single sources, and what they mean.',
  preview: 'Teasers without a key.',
  account: 'Limits and usage of a key.',
  operation: 'State of the service.',
};

const DESCRIPTION = [
  'The signals that many independent producers hold about an artist, a label, a festival or a release, joined into one dossier.',
  'A response without data has status 200 with identity null, present false or state honest_gap. Only 4xx and 5xx are errors; branch on the code in error.',
  'HEAD works wherever GET does, OPTIONS everywhere. Errors come as application/problem+json (RFC 9457) to clients that prefer it in Accept.',
].join('\n\n');

export interface ApiDescriber {
  /** Collects the routes that are registered from now on. */
  observeRoutes(app: FastifyInstance): void;
  /**
   * The document of all listed routes of an app that is ready. The same routes, examples and version give the same document.
   *
   * @throws Error where an operation has no name of its own, no summary, no description, or a tag without one
   */
  describe(app: FastifyInstance, examples: ReadonlyMap<string, Example>, version: string): ApiDocument;
}

export function apiDescriber(): ApiDescriber {
  const routes = new Map<string, RouteOptions>();
  const { schemas, securitySchemes } = components;
  return {
    observeRoutes(app) {
      app.register(swagger, {
        openapi: { openapi: '3.1.0', components: { schemas, securitySchemes } as never },
        convertConstToEnum: false,
        transform({ schema, url, route }) {
          if (route.config?.isUnlisted) return { schema: { hide: true }, url };
          const { operationId, summary, description } = schema ?? {};
          if (!operationId || !summary) throw new Error(`${url} has no operationId or no summary`);
          if (!description) throw new Error(`${operationId} has no description`);
          if (routes.has(operationId)) throw new Error(`two operations have the operationId ${operationId}`);
          routes.set(operationId, route);
          return { schema: mapValues({ ...schema } as Record<string, unknown>, plainPart), url };
        },
      });
    },
    describe(app, examples, version) {
      const { paths, components: generated } = app.swagger() as unknown as ApiDocument;
      const schemas = { ...generated.schemas };
      const responses = { ...components.responses };
      const described = mapValues(paths, (methods) =>
        mapValues(methods, (operation) => {
          const { operationId } = operation;
          const route = routes.get(operationId) as RouteOptions;
          return describeOperation(operation, {
            route,
            example: examples.get(operationId),
            schemas,
            responses,
          });
        }),
      );
      return {
        openapi: '3.1.0',
        info: { title: 'Linernotes', version, description: DESCRIPTION },
        servers: [{ url: '/' }],
        security: [{ ApiKey: [] }],
        tags: tagsOf(described),
        paths: described,
        components: { ...components, schemas, responses },
        'x-error-codes': errorCodes,
      };
    },
  };
}

/** Schemas in plain form; names and texts as they are. */
const plainPart = (part: unknown): unknown => (typeof part === 'object' ? plainSchema(part) : part);

const mapValues = <T, U>(from: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(from).map(([name, value]) => [name, map(value)]));

function tagsOf(paths: ApiDocument['paths']): ApiDocument['tags'] {
  const used = new Set(
    Object.values(paths).flatMap((methods) => Object.values(methods).flatMap(({ tags }) => tags)),
  );
  for (const tag of used) if (TAGS[tag] === undefined) throw new Error(`the tag ${tag} is not described`);
  return Object.entries(TAGS)
    .filter(([name]) => used.has(name))
    .map(([name, description]) => ({ name, description }));
}
