import { Option } from '@commander-js/extra-typings';
import type { Pool } from 'pg';
import { registerSources } from '../../projections/engine/registry.ts';
import { DEAD_LETTER_STATES, type DeadLetterState } from '../../workers/ingest/dead-letters/dead-letter.ts';
import { discardDeadLetters } from '../../workers/ingest/dead-letters/discard-dead-letters.ts';
import { dryRunReplay } from '../../workers/ingest/dead-letters/dry-run.ts';
import { findDeadLetter, listDeadLetters } from '../../workers/ingest/dead-letters/list-dead-letters.ts';
import { replayDeadLetters } from '../../workers/ingest/dead-letters/replay-dead-letters.ts';
import { recordLimits } from '../../workers/ingest/record-limits.ts';
import { schemaRegistryOf } from '../../workers/ingest/schemas/config.ts';
import { startProgress } from '../start/progress.ts';
import { type AddCommand, type Print, reason, usageError, wholeNumber } from './command.ts';
import { operator, readOpsConfig } from './config.ts';
import { withPool } from './database.ts';
import {
  describeSelection,
  idOption,
  requireKnownSource,
  type Selection,
  selectorOf,
  shownKey,
  withSelection,
} from './dead-letter-options.ts';
import { printTable } from './print-table.ts';
import { deadLetterJson, showDeadLetter } from './show-dead-letter.ts';

interface ListOptions extends Selection {
  readonly state: DeadLetterState | 'all';
  readonly limit: number;
  readonly json?: true | undefined;
}

async function list(options: ListOptions, print: Print): Promise<void> {
  const { state, limit } = options;
  const found = await withPool((pool) =>
    listDeadLetters(pool, {
      selector: selectorOf(options),
      state: state === 'all' ? null : state,
      limit: limit + 1,
    }),
  );
  if (found.length === 0) requireKnownSource(options);
  const newest = found.slice(0, limit);
  if (options.json) return print(JSON.stringify(newest, null, 2));
  const rows = newest.map((deadLetter) => ({
    ...deadLetter,
    key: shownKey(deadLetter.key),
    violations: deadLetter.violations.map(({ field, reason: why }) => `${field}: ${why}`).join(', '),
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

async function preview(
  options: Selection & {
    readonly json?: true | undefined;
    readonly acceptPositions?: true | undefined;
  },
  print: Print,
): Promise<void> {
  const config = readOpsConfig();
  const rules = {
    limits: recordLimits(config),
    acceptsPositions: options.acceptPositions,
    schemas: schemaRegistryOf(config),
  };
  const lines = await withPool((pool) => dryRunReplay(pool, selectorOf(options), rules));
  if (lines.length === 0) requireKnownSource(options);
  if (options.json) return print(JSON.stringify(lines, null, 2));
  const rows = lines.map((line) => ({
    ...line,
    violations: line.violations.join(', '),
    ids:
      line.samples.join(' ') +
      (line.deadLetters > line.samples.length && line.samples.length > 0 ? ' …' : ''),
  }));
  printTable(print, ['outcome', 'table', 'deadLetters', 'violations', 'ids'], rows);
}

interface ReplayOptions extends Selection {
  readonly rate: number;
  readonly why: string;
  readonly acceptPositions?: true | undefined;
}

async function replay(pool: Pool, options: ReplayOptions) {
  const config = readOpsConfig();
  let progress: ReturnType<typeof startProgress> | null = null;
  let before = 0;
  return replayDeadLetters(pool, await registerSources(pool), {
    selector: selectorOf(options),
    ratePerSecond: options.rate,
    limits: recordLimits(config),
    schemas: schemaRegistryOf(config),
    acceptsPositions: options.acceptPositions,
    actor: operator(),
    why: options.why,
    target: describeSelection(options) + (options.acceptPositions === true ? ' --accept-positions' : ''),
    onProgress(count, total) {
      progress ??= startProgress('Replaying', { total, unit: 'dead letters' });
      progress.advance(count - before);
      before = count;
      if (count === total) progress.done();
    },
  });
}

const isEmpty = (selection: Selection): boolean => Object.keys(selectorOf(selection)).length === 0;

const ACCEPT_POSITIONS =
  'also those with an implausible log position or time, if you know that they are right';

export const addDeadLetters: AddCommand = (program, print) => {
  const group = program.command('dead-letters').description('Records that broke their contract.');
  withSelection(group.command('list'))
    .description('List dead letters, the newest first.')
    .addOption(
      new Option('--state <state>', 'in this state').choices([...DEAD_LETTER_STATES, 'all']).default('open'),
    )
    .option('--limit <n>', 'at most so many', wholeNumber(1), 50)
    .option('--json', 'print JSON')
    .action((options) => list(options as ListOptions, print));
  group
    .command('show')
    .description('Show a dead letter with its payload, and how to fix each violation.')
    .argument('<id>', 'dead letter', wholeNumber())
    .option('--json', 'print JSON')
    .action(async (id, { json }) => {
      const deadLetter = await withPool((pool) => findDeadLetter(pool, id));
      if (deadLetter === null) throw new Error(`there is no dead letter ${id}`);
      if (json) print(JSON.stringify(deadLetterJson(deadLetter), null, 2));
      else showDeadLetter(print, deadLetter);
    });
  withSelection(group.command('preview'))
    .addOption(idOption())
    .description('Show what a replay would do, without doing it.')
    .option('--accept-positions', ACCEPT_POSITIONS)
    .option('--json', 'print JSON')
    .action((options) => preview(options, print));
  withSelection(group.command('replay'))
    .addOption(idOption())
    .description('Apply dead letters again. Exit code 1 while some still break their contract.')
    .option('--all', 'all open dead letters')
    .option('--accept-positions', ACCEPT_POSITIONS)
    .option(
      '--rate <n/s>',
      'at most so many a second',
      (text) => wholeNumber(1)(text.replace(/\/s$/, '')),
      500,
    )
    .requiredOption('--why <text>', 'reason for the audit trail', reason)
    .action(async (options) => {
      if (isEmpty(options) !== (options.all === true)) throw usageError('select dead letters, or name --all');
      const { replayed, superseded, open, elsewhere } = await withPool((pool) => replay(pool, options));
      print(`replayed\t${replayed}`);
      print(`superseded\t${superseded}`);
      print(`open\t${open}`);
      if (elsewhere > 0) print(`taken by another process\t${elsewhere}`);
      if (replayed + superseded + open + elsewhere === 0) requireKnownSource(options);
      if (open > 0)
        throw new Error(`dead letters that still break their contract: ${open}; see: dead-letters list`);
    });
  withSelection(group.command('discard'))
    .addOption(idOption())
    .description('Discard dead letters.')
    .requiredOption('--why <text>', 'reason for the audit trail', reason)
    .action(async (options) => {
      if (isEmpty(options)) throw usageError('select dead letters');
      const discarded = await withPool((pool) =>
        discardDeadLetters(pool, {
          selector: selectorOf(options),
          actor: operator(),
          why: options.why,
          target: describeSelection(options),
        }),
      );
      print(`discarded\t${discarded}`);
      if (discarded === 0) requireKnownSource(options);
      const named = new Set(options.id).size;
      if (named > discarded) throw new Error(`dead letters that were not open: ${named - discarded}`);
    });
};
