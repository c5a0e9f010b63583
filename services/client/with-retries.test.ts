import { describe, expect, it } from 'vitest';
import { LinernotesError } from './linernotes-error.ts';
import { type RetryOptions, type RetryTiming, withRetries } from './with-retries.ts';

const URL_OF_API = 'https://api.example/api/v2/usage';
const OPTIONS: RetryOptions = { retries: 3, budgetMs: 60_000, attemptMs: 1_000 };

type Outcome = Response | Error;
const rejection = (status: number, retryAfter?: string): Response =>
  new Response('{}', { status, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter } });

/** A service with the given outcomes in order, and a clock that only waits advance. */
function fakeService(outcomes: readonly Outcome[], { options = {}, random = 0.5 } = {}) {
  let clock = 0;
  const bodies: string[] = [];
  const waits: number[] = [];
  const timing: RetryTiming = {
    now: () => clock,
    random: () => random,
    sleep: async (ms) => {
      waits.push(ms);
      clock += ms;
    },
  };
  const send = withRetries(
    async (request) => {
      const outcome = outcomes[bodies.length];
      bodies.push(await request.text());
      if (outcome === undefined) throw new Error('too many requests');
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
    { ...OPTIONS, ...options },
    timing,
  );
  return { send, waits, bodies };
}

const get = (): Request => new Request(URL_OF_API);
const post = (path: string): Request =>
  new Request(`https://api.example${path}`, { method: 'POST', body: '{"locators":[]}' });

describe('a request that the service rejects temporarily', () => {
  it('is retried a little after Retry-After', async () => {
    const { send, waits } = fakeService([rejection(429, '7'), rejection(503, '2'), new Response('yes')]);
    const response = await send(get());
    expect([response.status, await response.text()]).toEqual([200, 'yes']);
    expect(waits).toEqual([7_250, 2_250]);
  });

  it('accepts a date in Retry-After', async () => {
    const { send, waits } = fakeService([
      rejection(503, 'Thu, 01 Jan 1970 00:00:05 GMT'),
      new Response('yes'),
    ]);
    await send(get());
    expect(waits).toEqual([5_250]);
  });

  it('waits longer each time, up to a bound, without Retry-After', async () => {
    const outcomes = Array.from({ length: 8 }, () => rejection(503));
    const { send, waits } = fakeService([...outcomes, new Response('yes')], {
      options: { retries: 8 },
      random: 1,
    });
    await send(get());
    expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
  });

  it('is returned after the last retry', async () => {
    const { send, waits, bodies } = fakeService(Array.from({ length: 9 }, () => rejection(503, '1')));
    expect((await send(get())).status).toBe(503);
    expect([waits.length, bodies.length]).toEqual([3, 4]);
  });

  it('is returned without a wait if the wait would exceed the budget', async () => {
    const { send, waits } = fakeService([rejection(429, '60')]);
    expect((await send(get())).status).toBe(429);
    expect(waits).toEqual([]);
  });

  it('is retried even if it is not repeatable', async () => {
    const { send, bodies } = fakeService([rejection(429, '1'), new Response('{}')]);
    expect((await send(post('/api/v2/anything'))).status).toBe(200);
    expect(bodies).toEqual(['{"locators":[]}', '{"locators":[]}']);
  });
});

it.each([400, 401, 404, 500, 504])('returns a response with status %i without a retry', async (status) => {
  const { send, bodies } = fakeService([rejection(status, '1')]);
  expect((await send(get())).status).toBe(status);
  expect(bodies).toHaveLength(1);
});

describe('a request without a response', () => {
  const broken = new TypeError('fetch failed');

  it('is retried if it is repeatable', async () => {
    for (const request of [get(), post('/api/v2/resolve/batch')]) {
      const { send, bodies } = fakeService([broken, broken, new Response('yes')]);
      expect(await (await send(request)).text()).toBe('yes');
      expect(bodies).toHaveLength(3);
    }
  });

  it('is an error without a retry if it is not repeatable', async () => {
    const { send, bodies } = fakeService([broken]);
    await expect(send(post('/api/v2/anything'))).rejects.toMatchObject({ code: 'network_error' });
    expect(bodies).toHaveLength(1);
  });

  it('is an error with its cause in the end', async () => {
    const { send } = fakeService([broken, broken, broken, broken]);
    const error = await send(get()).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(LinernotesError);
    expect(error).toMatchObject({
      code: 'network_error',
      status: null,
      message: 'No response arrived from https://api.example.',
      cause: broken,
    });
  });

  it('counts as failed if the response breaks off', async () => {
    const half = new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode('{"half":'));
          controller.error(new TypeError('terminated'));
        },
      }),
    );
    const { send } = fakeService([half, new Response('{"whole":true}')]);
    expect(await (await send(get())).json()).toEqual({ whole: true });
  });

  it('fails if an attempt takes too long', async () => {
    const send = withRetries(
      (request) =>
        new Promise((_resolve, reject) => {
          request.signal.addEventListener('abort', () => reject(request.signal.reason));
        }),
      { ...OPTIONS, retries: 1, attemptMs: 5 },
    );
    await expect(send(get())).rejects.toMatchObject({ code: 'timed_out', status: null });
  });
});

describe('the signal of a caller', () => {
  it('ends an in-flight request with its reason', async () => {
    const caller = new AbortController();
    const reason = new Error('no longer wanted');
    const send = withRetries(
      (request) =>
        new Promise((_resolve, reject) => {
          request.signal.addEventListener('abort', () => reject(request.signal.reason));
          caller.abort(reason);
        }),
      OPTIONS,
    );
    await expect(send(new Request(URL_OF_API, { signal: caller.signal }))).rejects.toBe(reason);
  });

  it('ends a wait with its reason', async () => {
    const caller = new AbortController();
    const reason = new Error('no longer wanted');
    const send = withRetries(async () => {
      setImmediate(() => caller.abort(reason));
      return rejection(503, '30');
    }, OPTIONS);
    await expect(send(new Request(URL_OF_API, { signal: caller.signal }))).rejects.toBe(reason);
  });
});
