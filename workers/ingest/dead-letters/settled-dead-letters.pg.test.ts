import { afterEach, beforeAll, expect, it } from 'vitest';
import { artistPressMentions } from '../../../projections/contracts/archive/artist-press-mentions.ts';
import { type Registry, registerSources } from '../../../projections/engine/registry.ts';
import { clearIngest, ingest, mentionChange, states } from '../../../test/support/ingest/dead-letters.ts';
import { storedMentions } from '../../../test/support/ingest/mentions.ts';
import { withDatabase } from '../../../test/support/services/database.ts';
import { discardDeadLetters, purgeSettledDeadLetters } from './discard-dead-letters.ts';
import { replayDeadLetters } from './replay-dead-letters.ts';

const { pool } = withDatabase();
let registry: Registry;

beforeAll(async () => {
  registry = await registerSources(pool);
});
afterEach(() => clearIngest(pool));

const broken = (lsn: number) => mentionChange(`m${lsn}`, lsn, { title: 12 });

it('discards the selected open dead letters once, with an audit entry', async () => {
  await ingest(pool, registry, [broken(1), broken(2), broken(3), mentionChange('m3', 4)]);
  const { table } = artistPressMentions;
  const discard = { actor: 'ada', why: 'never meant to be sent', target: 'source=x' };
  expect(await discardDeadLetters(pool, { ...discard, selector: { key: 'm1' } })).toBe(1);
  expect(await discardDeadLetters(pool, { ...discard, selector: { table } })).toBe(1);
  expect(await discardDeadLetters(pool, { ...discard, selector: { table } })).toBe(0);
  expect(await states(pool)).toEqual(['discarded@1', 'discarded@2', 'superseded@3']);
  const { rows } = await pool.query(
    `select settled_by, reason, settled_at <= now() as settled from ingest.dead_letter where state = 'discarded'`,
  );
  const settled = { settled_by: 'ada', reason: 'never meant to be sent', settled: true };
  expect(rows).toEqual([settled, settled]);
  const audit = await pool.query(
    'select actor, action, target, reason, detail from operation.audit order by id',
  );
  const ids = await pool.query<{ id: number }>('select id::float8 as id from ingest.dead_letter order by id');
  const entry = { actor: 'ada', action: 'dead-letters discard', target: 'source=x', reason: discard.why };
  expect(audit.rows).toEqual(
    ids.rows.slice(0, 2).map(({ id }) => ({ ...entry, detail: { discarded: [id] } })),
  );
});

it('neither replays discarded dead letters nor reopens them when their records are read again', async () => {
  await ingest(pool, registry, [broken(1)]);
  await discardDeadLetters(pool, { actor: 'ada', why: 'no', target: 'all', selector: {} });
  await ingest(pool, registry, [broken(1)]);
  const options = { selector: {}, ratePerSecond: 1_000, actor: 'ada', why: 'yes', target: 'all' };
  expect(await replayDeadLetters(pool, registry, options)).toEqual({
    replayed: 0,
    superseded: 0,
    open: 0,
    elsewhere: 0,
  });
  expect(await states(pool)).toEqual(['discarded@1']);
  expect(await storedMentions(pool)).toEqual({});
});

it('purges those settled before an instant, and no open one', async () => {
  await ingest(pool, registry, [1, 2, 3, 4].map(broken));
  await pool.query(`
    update ingest.dead_letter set state = 'superseded', settled_at = now() - interval '91 days' where record_offset = 1;
    update ingest.dead_letter set state = 'discarded', settled_at = now() - interval '89 days' where record_offset = 2;
    update ingest.dead_letter set recorded_at = now() - interval '400 days'`);
  const olderThan = new Date(Date.now() - 90 * 86_400_000);
  expect(await purgeSettledDeadLetters(pool, olderThan)).toBe(1);
  expect(await states(pool)).toEqual(['discarded@2', 'open@3', 'open@4']);
  expect(await purgeSettledDeadLetters(pool, olderThan)).toBe(0);
});

it('purges more than one batch', async () => {
  await pool.query(`
    insert into ingest.dead_letter (topic, partition, record_offset, headers, violations, class, state, settled_at)
    select 't', 0, number, '{}', '[]', 'contract', 'replayed', '2020-01-01' from generate_series(1, 4000) number`);
  expect(await purgeSettledDeadLetters(pool, new Date('2020-01-02'))).toBe(4_000);
  expect(await states(pool)).toEqual([]);
});
