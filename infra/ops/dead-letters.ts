import { parseArgs } from 'node:util';
import { registerSources } from '../../projections/registry.ts';
import { discardLetters } from '../../workers/ingest/dead-letters/discard-letters.ts';
import { LETTER_CLASSES, LETTER_STATES } from '../../workers/ingest/dead-letters/letter-class.ts';
import { findLetter, listLetters } from '../../workers/ingest/dead-letters/list-letters.ts';
import { previewReplay } from '../../workers/ingest/dead-letters/preview-replay.ts';
import { replayLetters } from '../../workers/ingest/dead-letters/replay-letters.ts';
import { startProgress } from '../start/progress.ts';
import { commandOf, type Print, usageError } from './command.ts';
import { withPool } from './database.ts';
import {
  countOf,
  describeSelection,
  idOf,
  isEmpty,
  requireKnownSource,
  SELECTION,
  SELECTION_USAGE,
  selectorOf,
  shownKey,
  stateOf,
} from './letter-selection.ts';
import { operator } from './operator.ts';
import { printTable } from './print-table.ts';
import { letterJson, showLetter } from './show-letter.ts';

const JSON_OPTION = { json: { type: 'boolean', default: false } } as const;

async function list(args: string[], print: Print): Promise<void> {
  const { id: _, ...selection } = SELECTION;
  const { values } = parseArgs({
    args,
    options: {
      ...selection,
      ...JSON_OPTION,
      state: { type: 'string', default: 'open' },
      limit: { type: 'string', default: '50' },
    },
  });
  const [selector, state, limit] = [
    selectorOf(values),
    stateOf(values.state),
    countOf('limit', values.limit),
  ];
  const found = await withPool((pool) => listLetters(pool, selector, state, limit + 1));
  if (found.length === 0) requireKnownSource(values);
  const letters = found.slice(0, limit);
  if (values.json) return print(JSON.stringify(letters, null, 2));
  const rows = letters.map((letter) => ({
    ...letter,
    key: shownKey(letter.key),
    violations: letter.violations.map(({ field, reason }) => `${field}: ${reason}`).join(', '),
  }));
  const columns = [
    'id',
    'state',
    'class',
    'table',
    'key',
    'topic',
    'partition',
    'offset',
    'recordedAt',
  ] as const;
  printTable(print, [...columns, 'violations'], rows);
  if (found.length > limit) print(`these are the newest ${limit}; there are more: --limit N`);
}

async function show(args: string[], print: Print): Promise<void> {
  const { values, positionals } = parseArgs({ args, options: JSON_OPTION, allowPositionals: true });
  const [text, ...more] = positionals;
  if (text === undefined || more.length > 0) throw usageError('dead-letters show takes one id');
  const id = idOf(text);
  const letter = await withPool((pool) => findLetter(pool, id));
  if (letter === null) throw new Error(`there is no dead letter ${id}`);
  if (values.json) print(JSON.stringify(letterJson(letter), null, 2));
  else showLetter(print, letter);
}

async function preview(args: string[], print: Print): Promise<void> {
  const { values } = parseArgs({ args, options: { ...SELECTION, ...JSON_OPTION } });
  const selector = selectorOf(values);
  const lines = await withPool((pool) => previewReplay(pool, selector));
  if (lines.length === 0) requireKnownSource(values);
  if (values.json) return print(JSON.stringify(lines, null, 2));
  const rows = lines.map((line) => ({
    ...line,
    violations: line.violations.join(', '),
    ids: line.samples.join(' ') + (line.letters > line.samples.length && line.samples.length > 0 ? ' …' : ''),
  }));
  printTable(print, ['outcome', 'table', 'letters', 'violations', 'ids'], rows);
}

async function replay(args: string[], print: Print): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      ...SELECTION,
      all: { type: 'boolean', default: false },
      rate: { type: 'string', default: '500' },
      why: { type: 'string' },
    },
  });
  const why = reasonOf(values.why);
  const [selector, ratePerSecond] = [selectorOf(values), countOf('rate', values.rate.replace(/\/s$/, ''))];
  if (isEmpty(selector) !== values.all)
    throw usageError('dead-letters replay needs to be told which letters, or --all');
  const target = describeSelection(values);
  const { replayed, superseded, open, elsewhere } = await withPool(async (pool) => {
    let progress: ReturnType<typeof startProgress> | null = null;
    let before = 0;
    const done = await replayLetters(pool, await registerSources(pool), {
      selector,
      ratePerSecond,
      actor: operator(),
      why,
      target,
      onProgress(count, total) {
        progress ??= startProgress('Replaying', total, 'letters');
        progress.advance(count - before);
        before = count;
        if (count === total) progress.done();
      },
    });
    return done;
  });
  print(`replayed\t${replayed}`);
  print(`superseded\t${superseded}`);
  print(`open\t${open}`);
  if (elsewhere > 0) print(`taken up elsewhere\t${elsewhere}`);
  if (replayed + superseded + open + elsewhere === 0) requireKnownSource(values);
  if (open > 0) throw new Error(`letters that still break their contract: ${open}; see: dead-letters list`);
}

async function discard(args: string[], print: Print): Promise<void> {
  const { values } = parseArgs({ args, options: { ...SELECTION, why: { type: 'string' } } });
  const why = reasonOf(values.why);
  const selector = selectorOf(values);
  if (isEmpty(selector)) throw usageError('dead-letters discard needs to be told which letters');
  const target = describeSelection(values);
  const discarded = await withPool((pool) =>
    discardLetters(pool, { selector, actor: operator(), why, target }),
  );
  print(`discarded\t${discarded}`);
  if (discarded === 0) requireKnownSource(values);
  const named = new Set(selector.ids).size;
  if (named > discarded) throw new Error(`letters that are named and were not open: ${named - discarded}`);
}

function reasonOf(why: string | undefined): string {
  const reason = why?.trim() ?? '';
  if (reason === '') throw usageError('a reason is needed: --why TEXT');
  return reason;
}

const actions = new Map([
  ['list', list],
  ['show', show],
  ['preview', preview],
  ['replay', replay],
  ['discard', discard],
]);

export const deadLetters = commandOf(
  'dead-letters',
  [
    `dead-letters list [--source TABLE] [--class ${LETTER_CLASSES.join('|')}] [--state ${LETTER_STATES.join('|')}|all] [--key KEY] [--since INSTANT] [--limit N] [--json]`,
    'dead-letters show ID [--json]',
    `dead-letters preview ${SELECTION_USAGE} [--json]`,
    `dead-letters replay ${SELECTION_USAGE} | --all [--rate N/s] --why TEXT`,
    `dead-letters discard ${SELECTION_USAGE} --why TEXT`,
  ],
  actions,
);
