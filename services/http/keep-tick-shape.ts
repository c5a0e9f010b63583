import { executionAsyncResource } from 'node:async_hooks';

/**
 * The queue entry of one `process.nextTick`, of which a request causes a dozen. While one is held, V8 keeps their shape. In a
 * moment without any, a collection of garbage drops the shape, and with it what `nextTick` has learnt of it, for good: each
 * call then takes ten times as long. So this is the first module of a program to run.
 */
export let tick: object | null = null;

process.nextTick(() => {
  tick = executionAsyncResource();
});
