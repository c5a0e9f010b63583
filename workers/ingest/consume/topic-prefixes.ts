/** Debezium names the topic of a connector's heartbeats by this, then the connector's own prefix. */
const HEARTBEAT = '__debezium-heartbeat.';

/** Of the setting `TOPIC_PREFIX`. */
export const parsePrefixes = (setting: string): readonly string[] =>
  setting.split(',').map((prefix) => prefix.trim());

/** The prefix under which a topic holds rows or heartbeats; undefined for other topics. The longest wins: one may begin another. */
export const prefixOf = (topic: string, prefixes: readonly string[]): string | undefined =>
  prefixes
    .filter((prefix) => topic.startsWith(`${prefix}.`) || topic === HEARTBEAT + prefix)
    .reduce<string | undefined>(
      (longest, one) => (one.length > (longest?.length ?? 0) ? one : longest),
      undefined,
    );
