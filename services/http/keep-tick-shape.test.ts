import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** Counts the queue entries of its first hundred `nextTick`s that a program still has after a garbage collection. */
const left = async (beginning: string): Promise<number> => {
  const program = `
    import { createHook } from 'node:async_hooks';
    import { setImmediate } from 'node:timers/promises';
    const ticks = [];
    const hook = createHook({
      init: (_id, type, _trigger, entry) => type === 'TickObject' && ticks.push(new WeakRef(entry)),
    }).enable();
    ${beginning}
    for (let count = 0; count < 100; count++) process.nextTick(() => {});
    await setImmediate();
    hook.disable();
    await setImmediate();
    gc();
    console.log(ticks.filter((tick) => tick.deref() !== undefined).length);`;
  const flags = ['--expose-gc', '--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, flags);
  return Number(stdout);
};

const MODULE = new URL('./keep-tick-shape.ts', import.meta.url).href;

it('keeps one queue entry of nextTick, which a program without it does not', async () => {
  expect(await left('')).toBe(0);
  expect(await left(`await import(${JSON.stringify(MODULE)});`)).toBe(1);
});
