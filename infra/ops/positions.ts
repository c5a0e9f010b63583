import { parseArgs } from 'node:util';
import type { Pool } from 'pg';
import { textArray } from '../../db/arrays.ts';
import { recordAudit } from '../../db/audit.ts';
import { transaction } from '../../db/transaction.ts';
import { FILE_GROUPS } from '../../workers/ingest/apply/position.ts';
import { commandOf, type Print, usageError } from './command.ts';
import { withPool } from './database.ts';
import { operator } from './operator.ts';
import { printTable } from './print-table.ts';

const DEFAULT_GROUP = 'linernotes-ingest';

interface PositionRow {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  readonly nextOffset: string;
  readonly movedAt: Date;
}

async function list(args: string[], print: Print): Promise<void> {
  const { values } = parseArgs({ args, options: { group: { type: 'string' }, topic: { type: 'string' } } });
  const rows = await withPool((pool) => readPositions(pool, values.group ?? null, values.topic ?? null));
  printTable(print, ['group', 'topic', 'partition', 'nextOffset', 'movedAt'], rows);
}

/** Of all groups that read topics, or of the one that is named, be it one whose partitions are files. */
async function readPositions(pool: Pool, group: string | null, topic: string | null): Promise<PositionRow[]> {
  const { rows } = await pool.query<PositionRow>(
    `select consumer_group as "group", topic, partition, next_offset as "nextOffset", moved_at as "movedAt"
     from ingest.position
     where consumer_group = coalesce($1, consumer_group) and topic = coalesce($2, topic)
       and ($1::text is not null or consumer_group <> all($3::text[]))
     order by consumer_group, topic, partition`,
    [group, topic, textArray(FILE_GROUPS)],
  );
  return rows;
}

/** Which position is to be another, and why. */
interface Move {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  readonly to: number;
  readonly why: string;
}

function moveOf(args: string[]): Move {
  const { values } = parseArgs({
    args,
    options: {
      group: { type: 'string', default: DEFAULT_GROUP },
      topic: { type: 'string' },
      partition: { type: 'string' },
      to: { type: 'string' },
      why: { type: 'string' },
    },
  });
  const { group, topic, why } = values;
  if (!topic) throw usageError('--topic is missing');
  if (!why?.trim()) throw usageError('--why is missing: it is kept, and says what was accepted');
  return {
    group,
    topic,
    partition: wholeNumber('partition', values.partition),
    to: wholeNumber('to', values.to),
    why,
  };
}

function wholeNumber(name: string, text: string | undefined): number {
  const number = Number(text);
  if (text === undefined || !/^\d+$/.test(text) || !Number.isSafeInteger(number))
    throw usageError(`--${name} is a whole number${text === undefined ? '' : `, not "${text}"`}`);
  return number;
}

async function set(args: string[], print: Print): Promise<void> {
  const move = moveOf(args);
  const from = await withPool((pool) => movePosition(pool, move));
  print(`${move.topic}/${move.partition} of ${move.group} goes on at ${move.to}, not at ${from}`);
}

/** Running consumers notice: one in the middle of a batch finds the position moved and writes nothing. */
async function movePosition(pool: Pool, { group, topic, partition, to, why }: Move): Promise<number> {
  return transaction(pool, async (client) => {
    const { rows } = await client.query<{ from: string }>(
      `select next_offset as from from ingest.position
       where consumer_group = $1 and topic = $2 and partition = $3 for update`,
      [group, topic, partition],
    );
    if (rows[0] === undefined)
      throw new Error(`group "${group}" has no position in ${topic}/${partition}: see positions list`);
    const from = Number(rows[0].from);
    await client.query(
      `update ingest.position set next_offset = $4, moved_at = now()
       where consumer_group = $1 and topic = $2 and partition = $3`,
      [group, topic, partition, to],
    );
    await recordAudit(client, {
      actor: operator(),
      action: 'positions set',
      target: `${topic}/${partition}`,
      reason: why,
      detail: { group, from, to },
    });
    return from;
  });
}

const actions = new Map([
  ['list', list],
  ['set', set],
]);

export const positions = commandOf(
  'positions',
  [
    'positions list [--group NAME] [--topic TOPIC]',
    'positions set --topic TOPIC --partition N --to OFFSET --why TEXT [--group NAME]',
  ],
  actions,
);
