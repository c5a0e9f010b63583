import { sampleEvents } from '../data/sample-events.ts';
import { interleave } from '../interleave.ts';
import { startProgram } from '../processes/program.ts';
import { step } from '../progress.ts';
import type { Figure } from '../report.ts';
import { median } from '../statistics.ts';
import { sendEvents } from './event-log.ts';
import type { StoredRecords } from './observe.ts';
import { runIngest } from './own-turn.ts';
import { type IngestStage, processOptions } from './stage.ts';

const ROUNDS = 3;
const LEAST_SHARE = 0.5;

/** The first load of all tables of the sample from the log, alone and while a projector builds documents from them. */
export async function* loadFigures(stage: IngestStage): AsyncGenerator<Figure> {
  const { log } = stage;
  const given = sampleEvents();
  const events = given.length;
  const tables = [...new Set(given.map(({ source }) => source.table))];
  const { prefix } = await log.createTopics(tables, 3);
  await step(`sending ${events} events of the sample`, () => sendEvents(log.producer, prefix, given));
  const { ceilings, subjects } = await step('an initial load alone and with a projector, by turns', () =>
    interleave(
      ROUNDS,
      (round) => runIngest(stage, { prefix, events, turn: `alone-${round}` }),
      (round) =>
        runIngest(stage, {
          prefix,
          events,
          turn: `projected-${round}`,
          startBeside: (url) => startProjector(stage, url),
        }),
    ),
  );
  const rate = (turns: readonly StoredRecords[]) => median(turns.map(({ perSecond }) => perSecond));
  yield {
    name: 'initial load while a projector runs',
    value: rate(subjects),
    unit: '/s',
    ceiling: { name: 'ingest alone', value: rate(ceilings) },
    target: { least: LEAST_SHARE },
    note: `${events} events of ${tables.length} tables`,
  };
}

async function startProjector(stage: IngestStage, url: string): Promise<() => Promise<void>> {
  const projector = await startProgram('workers/project/main.ts', (message) => message === 'projecting', {
    ...processOptions(stage, 'project'),
    env: { DATABASE_URL: url },
  });
  return projector.stop;
}
