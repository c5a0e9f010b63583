import { fromMaven } from './maven.ts';

/** Debezium's connectors of other databases than PostgreSQL: the newest that Maven Central holds as libraries. */
const CONNECTORS = {
  mariadb: '3.4.0.Final',
  mysql: '3.4.1.Final',
  mongodb: '3.4.1.Final',
} as const;

export type OtherDatabase = keyof typeof CONNECTORS;

/** A folder for the worker's `plugin.path` that holds the connector, fetched with Maven on first use. */
export function connectPlugin(database: OtherDatabase): Promise<string> {
  const version = CONNECTORS[database];
  return fromMaven({
    name: `debezium-${database}-${version}`,
    libraries: [`io.debezium:debezium-connector-${database}:${version}`],
  });
}
