import { describe, it } from 'vitest';
import { randomFrom } from '../faults/random.ts';
import { insertRows, sampleRows } from './producer-table.ts';
import { openSessions } from './sessions.ts';
import { openStage, SIGNALS } from './stage.ts';
import { type Scene, strikes } from './strikes.ts';
import { tables } from './tables.ts';

const SEEDS = Number(process.env.SEEDS ?? 1);
const FIRST_SEED = Number(process.env.SEED ?? 1);
const TRANSACTIONS = Number(process.env.TRANSACTIONS ?? 20_000);
/** Transactions between two strikes. */
const ROUND = Number(process.env.ROUND ?? 500);
const ROWS = 400;
const SESSIONS = 6;
const SEED_MS = 4 * 3_600_000;

/** STRIKE_ONLY is a part of a name: it selects some strikes. */
const chosen = strikes.filter(({ name }) => name.includes(process.env.STRIKE_ONLY ?? ''));
const seeds = Array.from({ length: SEEDS }, (_, index) => FIRST_SEED + index);

describe(`${TRANSACTIONS} random transactions, open over strikes`, () => {
  it.each(seeds)('leave the producer’s tables and the documents of a rebuild: SEED=%i', playSeed, SEED_MS);
});

async function playSeed(seed: number): Promise<void> {
  const random = randomFrom(seed);
  const stage = await openStage(tables);
  let closeSessions = () => {};
  try {
    const scene = await openScene(stage, random);
    closeSessions = scene.sessions.close;
    let left = random.shuffled(chosen);
    for (let done = 0; done < TRANSACTIONS; done += ROUND) {
      if (left.length === 0) left = random.shuffled(chosen);
      const { name, strike } = left.pop() as (typeof chosen)[number];
      await scene.sessions.run(ROUND / 2);
      await strike(scene).catch((cause) => {
        throw new Error(`after ${done} transactions, ${name}`, { cause });
      });
      await scene.sessions.run(ROUND / 2);
      await stage.check().catch((cause) => {
        throw new Error(`after ${done + ROUND} transactions, the last strike: ${name}`, { cause });
      });
    }
    await scene.sessions.commitAll();
    await stage.check();
    await stage.checkDocuments();
  } finally {
    closeSessions();
    await stage.stop();
  }
}

async function openScene(
  stage: Awaited<ReturnType<typeof openStage>>,
  random: ReturnType<typeof randomFrom>,
): Promise<Scene> {
  for (const table of tables) await insertRows(stage.producer, table, sampleRows(table.source, 0, ROWS));
  const workers = [await stage.start('ingest')];
  const projector = await stage.start('project');
  const main = await stage.addConnector('main', tables, {
    'signal.enabled.channels': 'kafka',
    'signal.kafka.topic': SIGNALS,
    'signal.kafka.bootstrap.servers': stage.kafka.address,
    'read.only': 'true',
  });
  const sessions = await openSessions(stage.producer, random, { tables, sessions: SESSIONS });
  return { stage, random, main, sessions, workers, projector };
}
