import type { Pool, PoolClient } from 'pg';
import type { SeededRandom } from '../faults/random.ts';
import type { ProducerTable } from './producer-table.ts';
import { randomStatements } from './random-changes.ts';

interface Session {
  readonly client: PoolClient;
  /** The statements left of its transaction; null without one. */
  left: string[] | null;
}

/** Sessions of a producer whose transactions interleave, and stay open between two calls. */
export interface ProducerSessions {
  /** Runs statements of random sessions until so many transactions have ended; one in ten is rolled back. */
  run(transactions: number): Promise<void>;
  /** Ends all that are open. */
  commitAll(): Promise<void>;
  /** Cuts the sessions off, so that what is open is rolled back. */
  close(): void;
}

export async function openSessions(
  pool: Pool,
  random: SeededRandom,
  { tables, sessions: count }: { readonly tables: readonly ProducerTable[]; readonly sessions: number },
): Promise<ProducerSessions> {
  const sessions: Session[] = [];
  for (let opened = 0; opened < count; opened++) sessions.push({ client: await pool.connect(), left: null });

  async function end(session: Session): Promise<void> {
    await session.client.query(random.below(10) === 0 ? 'rollback' : 'commit');
    session.left = null;
  }

  /** @returns whether a transaction ended */
  async function step(session: Session): Promise<boolean> {
    if (session.left === null) {
      session.left = randomStatements(random, tables);
      await session.client.query('begin');
      return false;
    }
    const statement = session.left.shift();
    if (statement === undefined) {
      await end(session);
      return true;
    }
    await session.client.query(statement);
    return false;
  }

  return {
    async run(transactions) {
      for (let ended = 0; ended < transactions; ) if (await step(random.oneOf(sessions))) ended++;
    },
    async commitAll() {
      for (const session of sessions) if (session.left !== null) await end(session);
    },
    close() {
      for (const { client } of sessions) client.release(true);
    },
  };
}
