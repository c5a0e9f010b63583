import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { artistOf } from '../data/artist.ts';
import { webLink } from '../data/lists.ts';
import { randomOf } from '../data/random.ts';
import { sentence } from '../data/words.ts';
import { interleave, mean } from '../interleave.ts';
import { startWorker } from '../processes/program.ts';
import type { SnapshotJob } from '../processes/snapshot-load.ts';
import { step } from '../progress.ts';
import type { Figure } from '../report.ts';
import { emptyMirror, type IngestStage, processOptions } from './stage.ts';

const ROUNDS = 2;

const LEAST_SHARE = 0.25;
const ROWS_AN_ARTIST = 8;

/** A snapshot file into the mirror, as a share of a binary COPY of what comes to stand there. */
export async function* snapshotFigures(stage: IngestStage): AsyncGenerator<Figure> {
  const { options, cleanup, database } = stage;
  const folder = await mkdtemp(path.join(tmpdir(), 'linernotes-bench-'));
  cleanup.add(() => rm(folder, { recursive: true, force: true }));
  const table = 'editorial.web_link';
  const file = path.join(folder, `${table}.ndjson.gz`);
  await step(`writing a snapshot of ${options.events} rows`, () =>
    writeSnapshot(file, options.seed, options.events),
  );
  const worker = startWorker<SnapshotJob, number>('./snapshot-load.ts', processOptions(stage, 'snapshot'));
  const run = async (how: SnapshotJob['how']): Promise<number> => {
    await emptyMirror(stage);
    return worker.run({ url: database.url, how, path: file, table });
  };
  const { ceilings, subjects } = await step('COPY and snapshot load by turns', () =>
    interleave(
      ROUNDS,
      () => run('copy'),
      () => run('load'),
    ),
  );
  const indexed = await step('COPY into the mirror itself', () => run('copy-indexed'));
  await worker.stop();
  yield {
    name: 'rows of a snapshot file (.ndjson.gz)',
    value: mean(subjects),
    unit: '/s',
    ceiling: {
      name: 'a binary COPY of the ready rows into a table of the same shape without indexes',
      value: mean(ceilings),
    },
    target: { least: LEAST_SHARE },
    note: `${Math.round((await stat(file)).size / options.events)} bytes a row in the compressed file`,
  };
  yield { name: 'the same COPY into the mirror, with its indexes', value: indexed, unit: '/s' };
}

/** Rows of about a kilobyte: links with descriptions as long as an abstract. */
function writeSnapshot(file: string, seed: number, rows: number): Promise<void> {
  function* lines(): Generator<string> {
    for (let number = 0; number < rows; number++) {
      const { artist } = artistOf(seed, Math.floor(number / ROWS_AN_ARTIST));
      const random = randomOf(seed, number);
      const { row } = webLink(artist, number % ROWS_AN_ARTIST, random);
      yield `${JSON.stringify({ ...row, description: sentence(random, 80, 130) })}\n`;
    }
  }
  return pipeline(Readable.from(lines()), createGzip({ level: 3 }), createWriteStream(file));
}
