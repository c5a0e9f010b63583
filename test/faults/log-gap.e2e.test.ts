import { KafkaJSError } from 'kafkajs';
import { describe, expect, it, vi } from 'vitest';
import { dispatch } from '../../infra/ops/dispatch.ts';
import { pollUntil } from '../support/poll.ts';
import { ENTITY, MOMENTUM, messagesOf, RUNNING, type Table, withConsumer } from './one-consumer.ts';

describe('a consumer whose log does not continue at its position', () => {
  const { database, admin, producer, group, topicOf, freshTopics, send, start, stop, ...rest } =
    withConsumer();
  const { untilState, stored, untilStored, positionOf, expectNoLetters } = rest;

  it('stops at lost records until an operator accepts the loss', async () => {
    await freshTopics();
    await send(MOMENTUM, 2);
    start();
    await untilStored({ [MOMENTUM]: 2 });
    await stop();
    await send(MOMENTUM, 4);
    // The client deletes no records of a topic whose metadata it has not fetched.
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
    expect([code, printed]).toEqual([
      0,
      [`${topicOf(MOMENTUM)}/0 of ${group()} continues at 5 instead of 2`],
    ]);
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
    await pollUntil(async () => !(await admin().listTopics()).includes(topicOf(table)));
    await admin().createTopics({ topics: [{ topic: topicOf(table) }], waitForLeaders: false });
    await pollUntil(() => send(table, count), { retryOn: (error) => error instanceof KafkaJSError });
  }

  it('stops at a recreated topic that is shorter than its position', async () => {
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

  it('stops at a topic that was recreated during its absence and is longer than its position', async () => {
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
      reason: 'offset 0 was written after position 2 had been reached: the topic was recreated',
    });
    expect(await positionOf(MOMENTUM)).toBe(2);
  });

  it('continues at records with timestamps of the future', async () => {
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

  it('reads a log from its start into an empty database, whatever offset Kafka has for the group', async () => {
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

  it("continues with the other topics when one is deleted, and with its successor at the operator's position", async () => {
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
