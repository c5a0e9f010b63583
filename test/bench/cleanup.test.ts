import { expect, it, vi } from 'vitest';
import { collectCleanup } from './cleanup.ts';

it('undoes the last first, each once, whatever fails', async () => {
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

it('undoes at once what is started after the end', async () => {
  const cleanup = collectCleanup();
  await cleanup.run();
  const step = vi.fn();
  cleanup.add(step);
  expect(step).toHaveBeenCalledOnce();
});
