import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { dispatch } from '../../infra/ops/dispatch.ts';
import { jobs as declared } from '../../workers/jobs/index.ts';
import { environmentOf, KEEPERS, withJobQueue } from '../support/jobs/queue.ts';
import { pollUntil } from '../support/poll.ts';

describe.each(KEEPERS)('the operator of jobs kept in %s', (keeper) => {
  const { pool, settings, queue, startWorker, stopWorkers, runsOf, untilState } = withJobQueue(keeper);

  beforeEach(() => {
    for (const [name, value] of Object.entries(environmentOf(settings()))) vi.stubEnv(name, value);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  async function ops(printed: string[], ...argv: string[]): Promise<[number, string[]]> {
    const complaints: string[] = [];
    const code = await dispatch(
      argv,
      (line) => printed.push(line),
      (line) => complaints.push(line),
    );
    return [code, complaints];
  }

  it('reports that no worker is running, and follows the job once one is', async () => {
    const printed: string[] = [];
    const following = ops(printed, 'jobs', 'run', 'retention');
    await pollUntil(() => printed.some((line) => line.includes('node workers/jobs/main.ts')));
    expect(printed[0]).toMatch(/^retention is queued as job /);
    startWorker(declared);
    expect(await following).toEqual([0, []]);
    expect(printed.at(-1)).toMatch(/^done: .*tombstones 0/);
  });

  it('shows why a job failed, and retries it', async () => {
    await startWorker(declared).ready;
    const { id = '' } = await queue().add('rebuild', { projection: 'nonsense' }, { attempts: 3 });
    await untilState(id, 'failed');
    await stopWorkers();

    const printed: string[] = [];
    expect(await ops(printed, 'jobs', 'failed', 'rebuild')).toEqual([0, []]);
    expect(printed.map((line) => line.split('\t'))).toEqual([
      ['id', 'name', 'failedAt', 'attempts', 'reason', 'data'],
      [
        id,
        'rebuild',
        expect.stringMatching(/Z$/),
        '1',
        expect.stringMatching(/^rebuild cannot run with this data: projection: /),
        '{"projection":"nonsense"}',
      ],
    ]);
    expect(await ops([], 'jobs', 'retry', id)).toEqual([0, []]);
    expect(await ops([], 'jobs', 'retry', id)).toEqual([1, [`job ${id} is waiting, not failed`]]);
    expect(await ops([], 'jobs', 'retry', 'unheard-of')).toEqual([1, ['the queue has no job unheard-of']]);
    const { rows } = await pool.query(
      `select target, detail from operation.audit where action = 'jobs retry'`,
    );
    expect(rows).toEqual([{ target: id, detail: { name: 'rebuild', data: { projection: 'nonsense' } } }]);
  });

  it('lists last run, result and next run of each job', async () => {
    await startWorker(declared).ready;
    const printed: string[] = [];
    expect(await ops(printed, 'jobs', 'run', 'retention')).toEqual([0, []]);
    const run = (await runsOf('retention')).at(-1);
    const listed: string[] = [];
    expect(await ops(listed, 'jobs', 'list')).toEqual([0, []]);
    const scheduler = (await queue().getJobSchedulers()).find(({ key }) => key === 'retention');
    const row = listed.map((line) => line.split('\t')).find(([name]) => name === 'retention') ?? [];
    const [, schedule, lastRun = '', seconds, lastResult, failures, nextRun = ''] = row;
    expect([schedule, lastResult, failures]).toEqual(['17 3 * * *', printed.at(-1), '0']);
    expect(seconds).toMatch(/^\d+\.\d$/);
    expect(lastRun).toBe(run?.started_at.toISOString());
    expect(nextRun.slice(10)).toBe('T03:17:00.000Z');
    expect(Date.parse(nextRun)).toBe(scheduler?.next);
  });
});
