import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { sources } from '../../projections/contracts/index.ts';
import { artistMomentum } from '../../projections/contracts/seen/artist-momentum.ts';
import { type Registry, registerSources } from '../../projections/engine/registry.ts';
import { liveVersion } from '../../projections/engine/store/version.ts';
import { projections } from '../../projections/index.ts';
import { rebuild } from '../../test/support/projections/rebuild.ts';
import { runOps } from '../../test/support/run-ops.ts';
import { withDatabase } from '../../test/support/services/database.ts';

const { pool, url } = withDatabase();
const TABLE = artistMomentum.table;
let registry: Registry;

beforeAll(async () => {
  registry = await registerSources(pool);
  for (const projection of projections) await rebuild(pool, projection, registry);
  await pool.query(
    `insert into ingest.position (consumer_group, topic, partition, next_offset)
     values ('g', 'producers.${TABLE}', 0, 12), ('g', 'producers.seen.festival', 1, 5), ('snapshot', 'f', 0, 9)`,
  );
});
beforeEach(() => {
  vi.stubEnv('DATABASE_URL', url);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await pool.query('update ingest.source set newest_change_at = null');
});

const heard = (at: Date): Promise<unknown> =>
  pool.query('update ingest.source set newest_change_at = $2 where id = $1', [
    registry.idOf(artistMomentum),
    at,
  ]);

describe('status', () => {
  it('shows sources, projections and consumers as tables', async () => {
    const at = new Date(Math.floor(Date.now() / 1000) * 1000);
    await heard(at);
    await pool.query(
      `insert into ingest.dead_letter (source, topic, partition, record_offset, headers, violations, class)
       values ($1, 't', 0, 1, '{}', '[]', 'contract'), (null, 'u', 0, 1, '{}', '[]', 'unknown-source')`,
      [registry.idOf(artistMomentum)],
    );
    const live = await liveVersion(pool, 'artist');
    await pool.query(
      `insert into projection.mark (version, bucket, keys) values ($1, 0, '{artist:a,artist:b}')`,
      [live?.id],
    );
    const { code, printed, complaints } = await runOps('status');
    await pool.query('delete from projection.mark; delete from ingest.dead_letter');
    expect([code, complaints]).toEqual([0, []]);
    expect(printed[0]).toBe(
      'source\tstate\tactivity\tfedBy\tasOf\theartbeatAt\tconnector\tkafka\tapply\tproject\tconnectorPeak\tkafkaPeak\tapplyPeak\tdeadLetters',
    );
    const momentum = printed.find((line) => line.startsWith(TABLE))?.split('\t') ?? [];
    expect(momentum.slice(0, 9)).toEqual([TABLE, 'fresh', 'active', '', at.toISOString(), '', '', '', '']);
    expect(momentum[13]).toBe('1');
    expect(printed.find((line) => line.startsWith('seen.festival\t'))).toBe(
      'seen.festival\tunknown\tunknown\t\t\t\t\t\t\t0\t\t\t\t0',
    );
    const artist = printed.find((line) => line.startsWith('artist\t'))?.split('\t') ?? [];
    expect([artist[1], artist.slice(3, 8)]).toEqual(['fresh', [String(live?.id), '', '', '', '2']]);
    const consumers = printed.slice(printed.indexOf('group\ttopic\tpartition\tnextOffset\tmovedAt') + 1);
    expect(consumers.map((line) => line.split('\t').slice(0, 4))).toEqual([
      ['g', `producers.${TABLE}`, '0', '12'],
      ['g', 'producers.seen.festival', '1', '5'],
      ['\ndead letters of unknown tables', '1'],
    ]);
  });

  it('shows a switch, and how long it has held back changes', async () => {
    const live = await liveVersion(pool, 'artist');
    const switching = `update projection.version set switch_until = now() + $2::interval, switch_requested_at = now() - interval '7 s'
       where id = $1`;
    await pool.query(
      `insert into projection.mark (version, bucket, keys, marked_at) values ($1, 0, '{artist:a}', now() - interval '40 s')`,
      [live?.id],
    );
    const shown = async () => {
      const { printed } = await runOps('status', '--json');
      const { projections: lines } = JSON.parse(printed.join('\n'));
      return lines.find(({ projection }: { projection: string }) => projection === 'artist');
    };
    expect(await shown()).toMatchObject({ switchingTo: null, heldBackSeconds: null });
    await pool.query(switching, [live?.id, '20 s']);
    expect(await shown()).toMatchObject({ switchingTo: live?.id, heldBackSeconds: expect.closeTo(7, -1) });
    // The process that requested it has died.
    await pool.query(switching, [live?.id, '-1 s']);
    expect(await shown()).toMatchObject({ switchingTo: null, heldBackSeconds: null });
    await pool.query(
      'delete from projection.mark; update projection.version set switch_until = null, switch_requested_at = null',
    );
  });

  it('shows how the records of each partition ended, and they add up', async () => {
    await pool.query(
      `insert into ingest.record_count (consumer_group, topic, partition, source, read, applied, older, equal, dead_letters, ignored)
       values ('g', 'producers.${TABLE}', 0, $1, 15, 5, 4, 3, 2, 1), ('g', 'heartbeats', 0, 0, 7, 0, 0, 0, 0, 7)`,
      [registry.idOf(artistMomentum)],
    );
    const wrong = pool.query('update ingest.record_count set read = read + 1');
    await expect(wrong).rejects.toThrow('record_count_sum');
    const { printed } = await runOps('status');
    const { printed: json } = await runOps('status', '--json', '--source', TABLE);
    await pool.query('delete from ingest.record_count');
    const header = 'group\ttopic\tpartition\tsource\tread\tapplied\tolder\tequal\tdeadLetters\tignored';
    const at = printed.indexOf(header);
    expect(printed.slice(at + 1, at + 3)).toEqual([
      'g\theartbeats\t0\t\t7\t0\t0\t0\t0\t7',
      `g\tproducers.${TABLE}\t0\t${TABLE}\t15\t5\t4\t3\t2\t1`,
    ]);
    expect(JSON.parse(json.join('\n')).records).toMatchObject([{ read: 15, applied: 5 }]);
  });

  it('fails while a source or projection is in error, so that a scheduler can watch it', async () => {
    await heard(new Date(Date.now() - 5 * 86_400_000));
    const { code, printed, complaints } = await runOps('status');
    expect([code, complaints]).toEqual([1, [`in error: ${TABLE}`]]);
    expect(printed.find((line) => line.startsWith(TABLE))).toContain('\terror\tdead\t');
    await heard(new Date(Date.now() - 3 * 86_400_000));
    expect((await runOps('status')).code).toBe(0);
  });

  it('fails at once when the connector of a source is dead, and not when another one is', async () => {
    await heard(new Date(Date.now() - 3_600_000));
    await pool.query(`update ingest.source set connector = 'producers' where id = $1`, [
      registry.idOf(artistMomentum),
    ]);
    const beat = (connector: string, secondsAgo: number) =>
      pool.query(
        `insert into ingest.connector (name, newest_heartbeat_at, interval_ms) values ($1, $2, 30000)
         on conflict (name) do update set newest_heartbeat_at = excluded.newest_heartbeat_at`,
        [connector, new Date(Date.now() - secondsAgo * 1000)],
      );
    await beat('gone', 3_600);
    const stateAfter = async (secondsAgo: number) => {
      await beat('producers', secondsAgo);
      const { code, printed, complaints } = await runOps('status');
      const lineOf = (name: string) =>
        printed.find((line) => line.startsWith(`${name}\t`))?.split('\t') ?? [];
      return [code, complaints, lineOf(TABLE).slice(1, 4), lineOf('producers').slice(1, 2)];
    };
    expect(await stateAfter(1)).toEqual([0, [], ['fresh', 'active', 'producers'], ['alive']]);
    expect(await stateAfter(150)).toEqual([0, [], ['warn', 'silent', 'producers'], ['silent']]);
    expect(await stateAfter(400)).toEqual([
      1,
      [`in error: connector producers, ${TABLE}`],
      ['error', 'dead', 'producers'],
      ['dead'],
    ]);
    await pool.query('delete from ingest.connector; update ingest.source set connector = null');
  });

  it('prints the same as JSON', async () => {
    const { code, printed } = await runOps('status', '--json');
    expect(code).toBe(0);
    const status = JSON.parse(printed.join('\n'));
    expect(status.sources.map(({ source }: { source: string }) => source)).toEqual(
      sources.map(({ table }) => table),
    );
    expect(status).toMatchObject({
      state: 'fresh',
      replicaLagSeconds: null,
      strayDeadLetters: 0,
      consumers: [
        { group: 'g', topic: `producers.${TABLE}`, partition: 0, nextOffset: 12 },
        { topic: 'producers.seen.festival' },
      ],
    });
    expect(status.projections).toHaveLength(projections.length);
  });

  it('shows a single source', async () => {
    const { printed } = await runOps('status', '--json', '--source', TABLE);
    const status = JSON.parse(printed.join('\n'));
    expect(status.sources).toMatchObject([{ source: TABLE }]);
    expect(status.consumers).toMatchObject([{ topic: `producers.${TABLE}` }]);
    const { code, complaints } = await runOps('status', '--source', 'seen.nothing');
    expect(code).toBe(2);
    expect(complaints.join()).toContain('No source is called "seen.nothing"; see: sources list.');
  });
});

describe('wait', () => {
  it('ends when a position is visible', async () => {
    const { code, printed } = await runOps('wait', `producers.${TABLE}:0:11`, 'producers.seen.festival:1:0');
    expect([code, printed]).toEqual([0, [expect.stringMatching(/^visible after \d+\.\d s$/)]]);
  });

  it('fails when the timeout expires', async () => {
    const { code, printed, complaints } = await runOps('wait', `producers.${TABLE}:0:12`, '--timeout', '0.1');
    expect([code, printed, complaints]).toEqual([
      1,
      [],
      [expect.stringContaining(`not visible after 0.1 s: producers.${TABLE}:0:12`)],
    ]);
  });

  it('fails without waiting if the record became a dead letter', async () => {
    await pool.query(
      `insert into ingest.dead_letter (topic, partition, record_offset, headers, violations, class)
       values ('producers.seen.festival', 1, 2, '{}', '[]', 'contract')`,
    );
    const { code, complaints } = await runOps('wait', 'producers.seen.festival:1:2');
    await pool.query('delete from ingest.dead_letter');
    expect([code, complaints]).toEqual([
      1,
      ['a record became a dead letter, and has no effect: producers.seen.festival:1:2'],
    ]);
  });

  it('names the error if the database is unavailable', async () => {
    vi.stubEnv('DATABASE_URL', 'postgres://nobody@127.0.0.1:1/nothing');
    const { code, complaints } = await runOps('wait', 't:0:1', '--timeout', '0.1');
    expect([code, complaints]).toEqual([1, [expect.stringContaining('ECONNREFUSED')]]);
  });

  it.each([
    [['wait'], "missing required argument 'position'"],
    [['wait', 'nonsense'], 'a position must be topic:partition:offset'],
    [['wait', 'typo:0:1'], 'a position names the topic typo, which no source has and no consumer has read'],
    [
      ['wait', 't:0:1', '--timeout', 'soon'],
      "option '--timeout <seconds>' argument 'soon' is invalid. It must be a number of seconds",
    ],
  ])('rejects mistyped arguments: %j', async (argv, complaint) => {
    const { code, complaints } = await runOps(...argv);
    expect(code).toBe(2);
    expect(complaints.join('\n')).toContain(complaint);
  });
});
