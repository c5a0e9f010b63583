import { executionAsyncResource } from 'node:async_hooks';

/**
 * The queue entry of one `process.nextTick`; a request causes a dozen. While one entry exists, V8 keeps their shape. A
 * garbage collection without any entry drops the shape and the optimised code of `nextTick` for good: a call then takes
 * 360 ns instead of 75 (Node 24, after four collections), or 3.4 µs more a request. A program imports this module first.
 */
export let tick: object | null = null;

process.nextTick(() => {
  tick = executionAsyncResource();
});
