import { expect, it, vi } from 'vitest';
import { collectCleanup } from './cleanup.ts';

it('runs every step once, the last first, even when one fails', async () => {
  const cleanup = collectCleanup();
  const done: string[] = [];
  const complaint = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  cleanup.add(() => done.push('first'));
  cleanup.add(() => Promise.reject(new Error('no')));
  cleanup.add(() => {
    throw new Error('neither');
  });
  cleanup.add(async () => done.push('last'));
  await Promise.all([cleanup.run(), cleanup.run()]);
  expect(done).toEqual(['last', 'first']);
  expect(complaint).toHaveBeenCalledTimes(2);
  complaint.mockRestore();
});

it('runs a step immediately when it is added after the end', async () => {
  const cleanup = collectCleanup();
  await cleanup.run();
  const step = vi.fn();
  cleanup.add(step);
  expect(step).toHaveBeenCalledOnce();
});
