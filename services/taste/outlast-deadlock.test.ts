import { expect, it } from 'vitest';
import { outlastDeadlock } from './outlast-deadlock.ts';

function failing(times: number, code: string) {
  let tries = 0;
  const work = async () => {
    if (++tries <= times) throw Object.assign(new Error('ended'), { code });
    return 'done';
  };
  return { work, tries: () => tries };
}

it('does work again that a deadlock has ended', async () => {
  const { work, tries } = failing(2, '40P01');
  expect([await outlastDeadlock(work), tries()]).toEqual(['done', 3]);
});

it('gives up on the third, and on any other failure at once', async () => {
  const stuck = failing(3, '40P01');
  await expect(outlastDeadlock(stuck.work)).rejects.toThrow('ended');
  expect(stuck.tries()).toBe(3);
  const broken = failing(1, '23505');
  await expect(outlastDeadlock(broken.work)).rejects.toThrow('ended');
  expect(broken.tries()).toBe(1);
});
