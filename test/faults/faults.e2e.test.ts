import { afterAll, beforeAll, describe, it } from 'vitest';
import { faults } from './faults.ts';
import { randomFrom } from './random.ts';
import { openStage, type Stage } from './stage.ts';

const FAULTS = Number(process.env.FAULTS ?? 12);
const SEED = Number(process.env.FAULT_SEED ?? Math.floor(Math.random() * 2 ** 31));

const random = randomFrom(SEED);
/** A part of a name, to look at some faults alone. */
const chosen = faults.filter(({ name }) => name.includes(process.env.FAULT_ONLY ?? ''));
/** Every fault once before any comes again. */
const plan = Array.from({ length: Math.ceil(FAULTS / chosen.length) }, () => random.shuffled(chosen))
  .flat()
  .slice(0, FAULTS);

describe(`events on their way through ${FAULTS} faults (FAULT_SEED=${SEED})`, () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await openStage(random);
    await Promise.all([stage.keep('ingest'), stage.keep('projector')]);
  });

  afterAll(() => stage?.stop());

  it.each(plan.map((fault, index) => ({ ...fault, number: index + 1 })))(
    'all arrive: $number, $name',
    async (fault) => {
      await stage.load.send(1);
      await fault.strike(stage, random);
      await stage.check();
    },
    180_000,
  );
});
