import { Client, errors } from '@opensearch-project/opensearch';
import { type Static, Type } from '@sinclair/typebox';

/**
 * Format of generations in a search cluster. Code reads only generations of its own format: raise it when the indexed
 * fields or the splitting of words change. It differs from every format of generations in tables.
 */
export const CLUSTER_FORMAT = 1_001;

const URLS = '^https?://[^,\\s]+(,https?://[^,\\s]+)*$';

/** The settings of every process that uses the cluster. */
export const ClusterConfig = Type.Object({
  SEARCH_URL: Type.Optional(
    Type.String({
      pattern: URLS,
      examples: ['https://user:password@host:9200,https://user:password@other:9200'],
      description:
        'URLs of OpenSearch nodes, separated by commas. Without it the search index is in the database. The same for the API and the jobs.',
    }),
  ),
  SEARCH_PREFIX: Type.String({
    default: 'linernotes-search',
    pattern: '^[a-z][a-z0-9-]*$',
    examples: ['linernotes-search'],
    description: 'Begins the names of indexes; separates installations that share one cluster.',
  }),
});

/** A connection to the cluster and the names of this installation in it. */
export interface SearchCluster {
  readonly client: Client;
  /** The name under which the searched index is known, whatever its generation. */
  readonly alias: string;
  /** A pattern of all indexes of the format. */
  readonly pattern: string;
  indexOf(generation: number): string;
  /** The generation of an index; null for other indexes. */
  generationOf(index: string): number | null;
  /** Closes its connections; may be called again. */
  close(): Promise<void>;
}

/** Milliseconds until a node that does not respond counts as dead and another one is tried. */
const REQUEST_TIMEOUT_MS = 6_000;

/** The cluster of the settings; null without one. Connects with the first request. */
export function openCluster(
  { SEARCH_URL, SEARCH_PREFIX }: Static<typeof ClusterConfig>,
  requestTimeout = REQUEST_TIMEOUT_MS,
): SearchCluster | null {
  if (SEARCH_URL === undefined) return null;
  const nodes = SEARCH_URL.split(',');
  const alias = `${SEARCH_PREFIX}-v${CLUSTER_FORMAT}`;
  const name = new RegExp(`^${alias}-(\\d+)$`);
  const client = new Client({ nodes, requestTimeout, maxRetries: nodes.length });
  let closing: Promise<void> | null = null;
  return {
    client,
    alias,
    pattern: `${alias}-*`,
    indexOf: (generation) => `${alias}-${generation}`,
    generationOf(index) {
      const digits = name.exec(index)?.[1];
      return digits === undefined ? null : Number(digits);
    },
    close() {
      // A client that is closed twice never responds.
      closing ??= client.close();
      return closing;
    },
  };
}

/** Whether the cluster responded that an index does not exist. */
export const isMissingIndex = (error: unknown): boolean =>
  error instanceof errors.ResponseError && error.statusCode === 404;
