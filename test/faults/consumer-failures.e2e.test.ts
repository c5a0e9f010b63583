import { describe, expect, it } from 'vitest';
import { connect } from '../../db/connect.ts';
import type { Registry } from '../../projections/engine/registry.ts';
import { ENTITY, MOMENTUM, RUNNING, withConsumer } from './one-consumer.ts';

const atLeast = (least: number) => expect.toSatisfy((number: number) => number >= least);

describe('a consumer whose database or own code fails', () => {
  const { database, registry, topicOf, freshTopics, send, start, stop, ...rest } = withConsumer();
  const { stateOf, untilState, untilStored, positionOf, expectNoLetters } = rest;

  it.each([
    [
      'a full disk',
      `create function full_disk() returns trigger language plpgsql as
         $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
       create trigger full_disk before insert or update on ingest.mirror execute function full_disk()`,
      'drop function full_disk() cascade',
      'No space left on device',
    ],
    [
      'a missing schema',
      'alter schema ingest rename to away',
      'alter schema away rename to ingest',
      'not exist',
    ],
  ])('retries all partitions during %s, and continues without help', async (_, fail, mend, reason) => {
    await freshTopics();
    start();
    await send(MOMENTUM, 3);
    await untilStored({ [MOMENTUM]: 3 });
    await database.pool.query(fail);
    await send(MOMENTUM, 3);
    const waiting = { state: 'waiting', reason: expect.stringContaining(reason) };
    await untilState(MOMENTUM, { ...waiting, attempts: atLeast(2) });
    await untilState(ENTITY, { ...waiting, attempts: atLeast(2) });
    await send(ENTITY, 2);
    await database.pool.query(mend);
    await untilStored({ [MOMENTUM]: 6, [ENTITY]: 2 });
    await untilState(MOMENTUM, RUNNING);
    await untilState(ENTITY, RUNNING);
    await expectNoLetters();
  });

  it('continues with other partitions while one waits for a lock', async () => {
    await freshTopics();
    const pool = connect(database.url, 'impatient', { lock_timeout: 100 });
    start({ pool });
    await send(MOMENTUM, 3);
    await untilStored({ [MOMENTUM]: 3 });
    const holder = await database.pool.connect();
    await holder.query('begin');
    await holder.query('select from ingest.position where topic = $1 for update', [topicOf(MOMENTUM)]);
    await send(MOMENTUM, 3);
    await untilState(MOMENTUM, {
      state: 'waiting',
      attempts: atLeast(2),
      reason: expect.stringContaining('lock timeout'),
    });
    await send(ENTITY, 2);
    await untilStored({ [MOMENTUM]: 3, [ENTITY]: 2 });
    expect(stateOf(ENTITY)).toMatchObject(RUNNING);
    await holder.query('rollback');
    holder.release();
    await untilStored({ [MOMENTUM]: 6, [ENTITY]: 2 });
    await untilState(MOMENTUM, RUNNING);
    await expectNoLetters();
    await stop();
    await pool.end();
  });

  it('stops only the partition where its own code fails, after the records before', async () => {
    await freshTopics();
    let read = 0;
    let isMended = false;
    const failing: Registry = {
      ...registry(),
      epochOf(source) {
        if (source.table === MOMENTUM && !isMended && ++read > 3)
          throw new TypeError('epoch is not a function');
        return registry().epochOf(source);
      },
    };
    await send(MOMENTUM, 5);
    await send(ENTITY, 2);
    start({ registry: failing });
    const reason = 'the decoder failed on offset 3: epoch is not a function';
    await untilState(MOMENTUM, { state: 'stopped', reason });
    await untilStored({ [MOMENTUM]: 3, [ENTITY]: 2 });
    expect(await positionOf(MOMENTUM)).toBe(3);
    await untilState(ENTITY, RUNNING);
    await expectNoLetters();
    isMended = true;
    await untilStored({ [MOMENTUM]: 5, [ENTITY]: 2 });
    await untilState(MOMENTUM, RUNNING);
  });
});
