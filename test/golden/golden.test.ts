import { beforeAll, expect, it } from 'vitest';
import { sources } from '../../projections/contracts/index.ts';
import { projections } from '../../projections/index.ts';
import { auraIndex } from '../../projections/models/aura/compute.ts';
import { breakoutsIndex } from '../../projections/models/breakouts/compute.ts';
import { tastemakersIndex } from '../../projections/models/tastemakers/compute.ts';
import { mirrorOf } from '../support/projections/oracle.ts';
import {
  CORPUS_CHANGED,
  type Golden,
  type ModelOutput,
  problemOf,
  readGolden,
  writeGolden,
} from './golden-file.ts';
import { handMadeRows, SPARSE_TABLES } from './hand-made.ts';
import { corpusHash, entriesOf, goldenDocuments, type Output, outputHash } from './output.ts';
import { sampleRows } from './sample.ts';
import { schemas } from './schemas.ts';
import { neverFilled, unfilledOf } from './unfilled.ts';

/** The day on which the sample's signals overlap most. */
const DAY = '2019-06-30';
const PROJECT_MS = 120_000;

const indexes = [auraIndex, breakoutsIndex, tastemakersIndex];
const models = [...projections, ...indexes];
/** Fields that no row can fill: the schema is the artist's too, and only the storefront sends the size of a cover. */
const NEVER_FILLED: ReadonlySet<string> = new Set([
  'master.master.artwork[].width',
  'master.master.artwork[].height',
]);

const outputs = new Map<string, readonly Output[]>();
const now = new Map<string, ModelOutput>();
let corpus: string;
let golden: Golden;

beforeAll(async () => {
  const handMade = handMadeRows();
  const rows = [...sampleRows(), ...handMade];
  const full = mirrorOf({ rows, delivered: new Set(sources.map(({ table }) => table)) });
  // All but a name is an honest gap.
  const sparse = mirrorOf({
    rows: handMade.filter(({ source }) => SPARSE_TABLES.has(source.table)),
    delivered: SPARSE_TABLES,
  });
  for (const projection of projections) outputs.set(projection.name, await goldenDocuments(projection, full));
  const artists = outputs.get('artist') ?? [];
  for (const index of indexes) outputs.set(index.name, await entriesOf(index, full, { artists, day: DAY }));
  for (const projection of projections) {
    const further = await goldenDocuments(projection, sparse);
    outputs.set(projection.name, [...(outputs.get(projection.name) ?? []), ...further]);
  }
  for (const { name, version } of models)
    now.set(name, { version, hash: outputHash(outputs.get(name) ?? []) });
  corpus = corpusHash(rows);
  golden = updated(readGolden(), process.env.UPDATE_GOLDEN);
}, PROJECT_MS);

/** Writes what is now, but nothing where an output changed while its version did not: for a changed corpus that is asked for. */
function updated(committed: Golden, update: string | undefined): Golden {
  if (!update) return committed;
  const isOfRows = update === 'corpus' && corpus !== committed.corpus;
  const names = new Set([...Object.keys(committed.models), ...now.keys()]);
  const problems = [...names].map((name) => problemOf(name, committed.models[name], now.get(name) ?? null));
  if (!isOfRows && problems.some((problem) => problem?.isUpdatable === false)) return committed;
  writeGolden({ corpus, models: Object.fromEntries(now) });
  return readGolden();
}

it.each(models.map(({ name }) => name))('the output of %s is the committed one of its version', (name) => {
  expect(problemOf(name, golden.models[name], now.get(name) ?? null)?.message ?? '').toBe('');
});

it('the committed outputs are those of the existing read models and of the present corpus', () => {
  expect(Object.keys(golden.models)).toEqual([...now.keys()].sort());
  expect(golden.corpus === corpus ? '' : CORPUS_CHANGED).toBe('');
});

it.each(models.map(({ name }) => name))('every field of %s is filled by some row', (name) => {
  const documents = (outputs.get(name) ?? []).map(({ text }) => JSON.parse(text));
  const schema = schemas.get(name);
  const unfilled = new Set([
    ...neverFilled(documents, name),
    ...(schema === undefined ? [] : unfilledOf(schema, documents, name)),
  ]);
  expect([...unfilled.difference(NEVER_FILLED)]).toEqual([]);
});
