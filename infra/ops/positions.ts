import type { Pool } from 'pg';
import { textArray } from '../../db/arrays.ts';
import { recordAudit } from '../../db/audit.ts';
import { transaction } from '../../db/transaction.ts';
import { FILE_GROUPS } from '../../workers/ingest/apply/position.ts';
import { type AddCommand, reason, wholeNumber } from './command.ts';
import { operator } from './config.ts';
import { withPool } from './database.ts';
import { printTable } from './print-table.ts';

const DEFAULT_GROUP = 'linernotes-ingest';

interface PositionRow {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  readonly nextOffset: string;
  readonly movedAt: Date;
}

/** Of one group, or of all groups that read topics. Groups that load files have to be named. */
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

interface PositionMove {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  readonly to: number;
  readonly why: string;
}

/** Running consumers notice: one in the middle of a batch finds the position moved and writes nothing. */
async function movePosition(pool: Pool, { group, topic, partition, to, why }: PositionMove): Promise<number> {
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
      `update ingest.position set next_offset = $4, moved_at = now(), unread_since = null
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

export const addPositions: AddCommand = (program, print) => {
  const group = program.command('positions').description('The positions of consumers in topics.');
  group
    .command('list')
    .description('List positions.')
    .option('--group <name>', 'of this consumer group (default: all that read topics)')
    .option('--topic <topic>', 'in this topic')
    .action(async ({ group: name, topic }) => {
      const rows = await withPool((pool) => readPositions(pool, name ?? null, topic ?? null));
      printTable(print, ['group', 'topic', 'partition', 'nextOffset', 'movedAt'], rows);
    });
  group
    .command('set')
    .description('Move a position, for a topic that no longer holds the next record.')
    .requiredOption('--topic <topic>', 'topic')
    .requiredOption('--partition <n>', 'partition', wholeNumber())
    .requiredOption('--to <offset>', 'offset of the next record', wholeNumber())
    .requiredOption('--why <text>', 'reason, for the audit trail', reason)
    .option('--group <name>', 'consumer group', DEFAULT_GROUP)
    .action(async (move) => {
      const from = await withPool((pool) => movePosition(pool, move));
      print(`${move.topic}/${move.partition} of ${move.group} continues at ${move.to} instead of ${from}`);
    });
};
