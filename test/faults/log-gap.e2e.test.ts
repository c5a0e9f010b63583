import { describe, expect, it, vi } from 'vitest';
import { dispatch } from '../../infra/ops/dispatch.ts';
import { ENTITY, MOMENTUM, messagesOf, RUNNING, type Table, withConsumer } from './one-consumer.ts';

const WAIT = { timeout: 30_000, interval: 20 };

describe('a consumer whose log does not go on where it was read', () => {
  const { database, admin, producer, group, topicOf, freshTopics, send, start, stop, ...rest } =
    withConsumer();
  const { untilState, stored, untilStored, positionOf, expectNoLetters } = rest;

  it('stops where records are gone that it never read, until an operator accepts it', async () => {
    await freshTopics();
    await send(MOMENTUM, 2);
    start();
    await untilStored({ [MOMENTUM]: 2 });
    await stop();
    await send(MOMENTUM, 4);
    // Its client deletes nothing of a topic that it has not yet asked for.
    await admin().fetchTopicOffsets(topicOf(MOMENTUM));
    await admin().deleteTopicRecords({
      topic: topicOf(MOMENTUM),
      partitions: [{ partition: 0, offset: '5' }],
    });
    start();
    const reason = 'offsets 2 to 4 are gone, the log starts at 5';
    await untilState(MOMENTUM, { state: 'stopped', reason });
    await send(ENTITY, 2);
    await untilStored({ [MOMENTUM]: 2, [ENTITY]: 2 });
    expect(await positionOf(MOMENTUM)).toBe(2);
    await untilState(MOMENTUM, { state: 'stopped', reason });

    vi.stubEnv('DATABASE_URL', database.url);
    const printed: string[] = [];
    const accept = `positions set --group ${group()} --topic ${topicOf(MOMENTUM)} --partition 0 --to 5 --why`;
    const code = await dispatch(
      [...accept.split(' '), 'rows of a trial'],
      (line) => printed.push(line),
      expect.fail,
    );
    vi.unstubAllEnvs();
    expect([code, printed]).toEqual([0, [`${topicOf(MOMENTUM)}/0 of ${group()} goes on at 5, not at 2`]]);
    await untilStored({ [MOMENTUM]: 3, [ENTITY]: 2 });
    await untilState(MOMENTUM, RUNNING);
    const { rows: audit } = await database.pool.query(
      'select action, target, reason, detail from operation.audit',
    );
    expect(audit).toEqual([
      {
        action: 'positions set',
        target: `${topicOf(MOMENTUM)}/0`,
        reason: 'rows of a trial',
        detail: { group: group(), from: 2, to: 5 },
      },
    ]);
  });

  /** Deletes a topic and makes it again, with `count` records. */
  async function remake(table: Table, count: number): Promise<void> {
    await admin().deleteTopics({ topics: [topicOf(table)] });
    await vi.waitFor(async () => expect(await admin().listTopics()).not.toContain(topicOf(table)), WAIT);
    await admin().createTopics({ topics: [{ topic: topicOf(table) }], waitForLeaders: false });
    await vi.waitFor(() => send(table, count), WAIT);
  }

  it('stops at a topic that was made anew and is shorter than what was read of it', async () => {
    await freshTopics();
    await send(MOMENTUM, 5);
    start();
    await untilStored({ [MOMENTUM]: 5 });
    await stop();
    await remake(MOMENTUM, 2);
    start();
    await untilState(MOMENTUM, { state: 'stopped', reason: 'the log ends at 2, before position 5' });
    expect(await positionOf(MOMENTUM)).toBe(5);
    expect(await stored()).toEqual({ [MOMENTUM]: 5 });
  });

  it('stops at a topic that was made anew while nobody looked and is longer than what was read of it', async () => {
    await freshTopics();
    await send(MOMENTUM, 2);
    start();
    await untilStored({ [MOMENTUM]: 2 });
    await stop();
    await database.pool.query(`update ingest.position set moved_at = now() - interval '2 hours'`);
    await remake(MOMENTUM, 4);
    start();
    await untilState(MOMENTUM, {
      state: 'stopped',
      reason: 'offset 0 was written after position 2 had been reached: the topic was made anew',
    });
    expect(await positionOf(MOMENTUM)).toBe(2);
  });

  it('goes on where records claim to be of the future', async () => {
    await freshTopics();
    const future = String(Date.now() + 86_400_000);
    const messages = messagesOf(MOMENTUM, 0, 2).map((message) => ({ ...message, timestamp: future }));
    await producer().send({ topic: topicOf(MOMENTUM), messages });
    start();
    await untilStored({ [MOMENTUM]: 2 });
    await stop();
    await database.pool.query(`update ingest.position set moved_at = now() - interval '2 hours'`);
    await producer().send({ topic: topicOf(MOMENTUM), messages: messagesOf(MOMENTUM, 2, 2) });
    start();
    await untilStored({ [MOMENTUM]: 4 });
  });

  it('reads a log from its start into an empty database, wherever Kafka says the group stands', async () => {
    await freshTopics();
    await send(MOMENTUM, 3);
    await admin().setOffsets({
      groupId: group(),
      topic: topicOf(MOMENTUM),
      partitions: [{ partition: 0, offset: '3' }],
    });
    start();
    await untilStored({ [MOMENTUM]: 3 });
  });

  it('goes on with what is left when a topic is deleted, and with a new one under its name as it is told', async () => {
    await freshTopics();
    await send(MOMENTUM, 3);
    await send(ENTITY, 1);
    start();
    await untilStored({ [MOMENTUM]: 3, [ENTITY]: 1 });
    await remake(MOMENTUM, 2);
    await untilState(MOMENTUM, { state: 'stopped', reason: 'the log ends at 2, before position 3' });
    await send(ENTITY, 2);
    await untilStored({ [MOMENTUM]: 3, [ENTITY]: 3 });
    await database.pool.query('update ingest.position set next_offset = 0 where topic = $1', [
      topicOf(MOMENTUM),
    ]);
    await untilStored({ [MOMENTUM]: 5, [ENTITY]: 3 });
    await expectNoLetters();
  });
});
