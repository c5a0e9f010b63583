import type { Admin } from 'kafkajs';
import type { Logger } from 'pino';

/** The topics that producers write under a prefix, sorted. */
export async function ourTopics(admin: Admin, prefix: string): Promise<string[]> {
  const topics = await admin.listTopics();
  return topics
    .filter((topic) => topic.startsWith(`${prefix}.`) || topic === `__debezium-heartbeat.${prefix}`)
    .sort();
}

/** Whether other topics are there than were known; says which. */
export function differ(known: readonly string[], found: readonly string[], log: Logger): boolean {
  const added = found.filter((topic) => !known.includes(topic));
  const gone = known.filter((topic) => !found.includes(topic));
  if (added.length > 0) log.info({ topics: added }, 'topics have appeared');
  if (gone.length > 0)
    log.warn({ topics: gone }, 'topics are gone; what was read of them stays, and so do the positions');
  return added.length + gone.length > 0;
}
