import { afterAll, beforeAll, describe, it } from 'vitest';
import { faults } from './faults.ts';
import { randomFrom } from './random.ts';
import { type FaultStage, openStage } from './stage.ts';

const FAULTS = Number(process.env.FAULTS ?? 12);
const SEED = Number(process.env.FAULT_SEED ?? Math.floor(Math.random() * 2 ** 31));

const random = randomFrom(SEED);
/** FAULT_ONLY is a part of a name: it selects some faults. */
const chosen = faults.filter(({ name }) => name.includes(process.env.FAULT_ONLY ?? ''));
/** Every fault once before any comes again. */
const plan = Array.from({ length: Math.ceil(FAULTS / chosen.length) }, () => random.shuffled(chosen))
  .flat()
  .slice(0, FAULTS);

describe(`events in flight during ${FAULTS} faults (FAULT_SEED=${SEED})`, () => {
  let stage: FaultStage;

  beforeAll(async () => {
    stage = await openStage(random);
    await Promise.all([stage.keep('ingest'), stage.keep('projector')]);
  });

  afterAll(() => stage?.stop());

  it.each(plan.map((fault, index) => ({ ...fault, number: index + 1 })))(
    'are all projected: $number, $name',
    async (fault) => {
      await stage.load.send(1);
      await fault.strike(stage, random);
      await stage.check();
    },
    180_000,
  );
});
