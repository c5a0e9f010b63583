import { expect, it } from 'vitest';
import { retryOnDeadlock } from './retry-on-deadlock.ts';

function failing(times: number, code: string) {
  let tries = 0;
  const work = async () => {
    if (++tries <= times) throw Object.assign(new Error('ended'), { code });
    return 'done';
  };
  return { work, tries: () => tries };
}

it('repeats work that a deadlock has ended', async () => {
  const { work, tries } = failing(2, '40P01');
  expect([await retryOnDeadlock(work), tries()]).toEqual(['done', 3]);
});

it('gives up after the third deadlock, and after any other error', async () => {
  const stuck = failing(3, '40P01');
  await expect(retryOnDeadlock(stuck.work)).rejects.toThrow('ended');
  expect(stuck.tries()).toBe(3);
  const broken = failing(1, '23505');
  await expect(retryOnDeadlock(broken.work)).rejects.toThrow('ended');
  expect(broken.tries()).toBe(1);
});
