import { avroSchema } from './avro-schema.ts';
import { jsonSchema } from './json-schema.ts';
import type { KnownSchemas, MessageSchema, MissingSchema } from './message-schema.ts';
import { type ImportedFile, protobufSchema } from './protobuf-schema.ts';
import { type Parts, schemaIdsOf } from './wire-format.ts';

const TIMEOUT_MS = 10_000;
const ACCEPT = 'application/vnd.schemaregistry.v1+json, application/json';
const NOT_FOUND = 404;
/** Codes of a registry that does not have the subject, its version, or the id of the schema. */
const NOT_REGISTERED: ReadonlySet<number> = new Set([40_401, 40_402, 40_403]);
/** Schemas that a schema names, and those that they name. */
const MAX_REFERENCES = 50;

/** Ids are signed integers of 32 bits. What a registry answers for a greater one does not say that it lacks it. */
const MAX_ID = 2 ** 31 - 1;

/** Requests at a time. */
const MAX_REQUESTS = 8;

/** The registry could not be asked. The records wait for it. */
export class SchemaRegistryUnavailable extends Error {
  override readonly name = 'SchemaRegistryUnavailable';
}

/** Fetches the schemas that some records name, before they are decoded. @throws SchemaRegistryUnavailable */
export async function resolveSchemas(
  registry: SchemaRegistry | null,
  records: readonly Parts[],
): Promise<void> {
  if (registry === null) return;
  const ids = schemaIdsOf(records);
  if (ids.size > 0) await registry.resolve(ids);
}

/** The schemas of a registry. Those that were found are cached: the schema of an id never changes. */
export interface SchemaRegistry extends KnownSchemas {
  /**
   * Fetches the schemas of those ids that are not cached yet.
   *
   * @throws SchemaRegistryUnavailable
   */
  resolve(ids: Iterable<number>): Promise<void>;
}

export interface SchemaRegistryOptions {
  /** Base of an API like Confluent's, with or without a path. */
  readonly url: string;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

/** A schema as the registry returns it. */
interface Stored {
  readonly schema: string;
  readonly schemaType?: string;
  readonly references?: readonly {
    readonly name: string;
    readonly subject: string;
    readonly version: number;
  }[];
}

type Get = (path: string) => Promise<Stored | null>;

export function schemaRegistry(options: SchemaRegistryOptions): SchemaRegistry {
  const get = requestsOf(options);
  const known = new Map<number, MessageSchema | MissingSchema>();
  const isKnown = (id: number): boolean => typeof known.get(id) === 'object';

  /** An id without a usable schema is asked for again by the next batch: it may have been registered by then. */
  async function resolveOne(id: number): Promise<void> {
    const stored = await get(`/schemas/ids/${id}`);
    known.set(id, stored === null ? 'unknown_schema' : await compile(stored, get));
  }

  return {
    find: (id) => known.get(id) ?? 'unknown_schema',
    async resolve(ids) {
      // Each request takes the next id.
      const unknown = new Set(ids).values().filter((id) => id <= MAX_ID && !isKnown(id));
      const askInTurn = async (): Promise<void> => {
        for (const id of unknown) await resolveOne(id);
      };
      await Promise.all(Array.from({ length: MAX_REQUESTS }, askInTurn));
    },
  };
}

async function compile(stored: Stored, get: Get): Promise<MessageSchema | MissingSchema> {
  const references = await referencesOf(stored, get);
  try {
    switch (stored.schemaType ?? 'AVRO') {
      case 'AVRO':
        return avroSchema(
          stored.schema,
          references.map(({ schema }) => schema),
        );
      case 'PROTOBUF':
        return protobufSchema(stored.schema, references);
      case 'JSON':
        return jsonSchema();
      default:
        return 'unusable_schema';
    }
  } catch {
    return 'unusable_schema';
  }
}

/** The schemas that one names, each after those that it names itself. */
async function referencesOf(
  stored: Stored,
  get: Get,
  found = new Map<string, ImportedFile>(),
): Promise<ImportedFile[]> {
  for (const { name, subject, version } of stored.references ?? []) {
    if (found.has(name) || found.size >= MAX_REFERENCES) continue;
    const named = await get(`/subjects/${encodeURIComponent(subject)}/versions/${version}`);
    if (named === null) continue;
    await referencesOf(named, get, found);
    found.set(name, { name, schema: named.schema });
  }
  return [...found.values()];
}

/** @returns null for what the registry does not have */
function requestsOf({ url, username, password }: SchemaRegistryOptions): Get {
  const base = url.replace(/\/+$/, '');
  const headers: Record<string, string> = { accept: ACCEPT };
  if (username !== undefined) {
    const credentials = Buffer.from(`${username}:${password ?? ''}`).toString('base64');
    headers.authorization = `Basic ${credentials}`;
  }
  return async (path) => {
    try {
      const response = await fetch(base + path, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (response.ok) return (await response.json()) as Stored;
      // A wrong address gives 404 too, with another code or none.
      const { error_code: code } = (await response.json().catch(() => ({}))) as { error_code?: number };
      if (response.status === NOT_FOUND && NOT_REGISTERED.has(code ?? 0)) return null;
      throw new Error(`it responds with ${response.status} to ${path}`);
    } catch (error) {
      throw new SchemaRegistryUnavailable(`the schema registry ${base} cannot be asked: ${causeOf(error)}`, {
        cause: error,
      });
    }
  };
}

/** `fetch` hides what failed in the cause. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
}
