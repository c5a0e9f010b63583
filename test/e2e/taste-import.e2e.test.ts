import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KEEPERS, withJobQueue } from '../support/jobs/queue.ts';
import { pollUntil } from '../support/poll.ts';
import { connectAccount, importState, itemsOf } from '../support/taste/rows.ts';
import { collectionPage, jsonResponse, withUpstream } from '../support/taste/upstream.ts';

const PAGES = 4;

describe.each(KEEPERS)('an import with jobs kept in %s', (keeper) => {
  const { pool, startProcess } = withJobQueue(keeper);
  const upstream = withUpstream();

  beforeEach(() => {
    vi.stubEnv('TASTE_CONTACT', 'a@b.example');
    vi.stubEnv('TASTE_CATALOG_URL', upstream.url);
    vi.stubEnv('TASTE_CATALOG_PER_MINUTE', '60000');
  });
  afterEach(() => vi.unstubAllEnvs());

  it('goes on at the next page when its worker was killed', async () => {
    const { import: id, account } = await connectAccount(pool, { username: 'somebody' });
    let worker = startProcess();
    let kills = 0;
    upstream.answer(({ query }, response) => {
      const page = Number(query.get('page'));
      if (page === 3 && kills++ === 0) {
        worker.kill('SIGKILL');
        worker = startProcess();
      } else
        jsonResponse(response, collectionPage([{ id: 1_000 + page, name: `Artist ${page}` }], page, PAGES));
    });
    await pollUntil(async () => (await importState(pool, id))?.state === 'done');
    expect(upstream.asked.map(({ query }) => Number(query.get('page')))).toEqual([1, 2, 3, 3, 4]);
    expect(await itemsOf(pool, account)).toEqual(
      [1, 2, 3, 4].map((page) => `Artist ${page} ${1_000 + page}`),
    );
    expect(await importState(pool, id)).toMatchObject({ items: PAGES, matched: 0, cursor: null });
  });
});
