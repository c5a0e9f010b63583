import { type Static, Type } from '@sinclair/typebox';
import { type SchemaRegistry, schemaRegistry } from './schema-registry.ts';

export const SchemaRegistryConfig = Type.Object({
  SCHEMA_REGISTRY_URL: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description:
        "Base URL of a schema registry with Confluent's API, for records in Avro or Protobuf. Apicurio serves it at `/apis/ccompat/v7`.",
    }),
  ),
  SCHEMA_REGISTRY_USERNAME: Type.Optional(Type.String({ description: 'User of the schema registry.' })),
  SCHEMA_REGISTRY_PASSWORD: Type.Optional(Type.String({ description: 'Password of the schema registry.' })),
});

/** The registry of the settings; null without one. */
export function schemaRegistryOf(config: Static<typeof SchemaRegistryConfig>): SchemaRegistry | null {
  const { SCHEMA_REGISTRY_URL: url } = config;
  const { SCHEMA_REGISTRY_USERNAME: username, SCHEMA_REGISTRY_PASSWORD: password } = config;
  return url === undefined ? null : schemaRegistry({ url, username, password });
}
