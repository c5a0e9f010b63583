import { describe, expect, it } from 'vitest';
import { LinernotesError } from './linernotes-error.ts';
import { type RetryOptions, type Waiting, withRetries } from './with-retries.ts';

const URL_OF_API = 'https://api.example/api/v2/usage';
const OPTIONS: RetryOptions = { retries: 3, budgetMs: 60_000, attemptMs: 1_000 };

type Turn = Response | Error;
const refusal = (status: number, retryAfter?: string): Response =>
  new Response('{}', { status, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter } });

/** A service that answers what it is told to by turns, and a clock that only waiting moves. */
function play(turns: readonly Turn[], { options = {}, random = 0.5 } = {}) {
  let clock = 0;
  const bodies: string[] = [];
  const waits: number[] = [];
  const waiting: Waiting = {
    now: () => clock,
    random: () => random,
    sleep: async (ms) => {
      waits.push(ms);
      clock += ms;
    },
  };
  const send = withRetries(
    async (request) => {
      const turn = turns[bodies.length];
      bodies.push(await request.text());
      if (turn === undefined) throw new Error('asked too often');
      if (turn instanceof Error) throw turn;
      return turn;
    },
    { ...OPTIONS, ...options },
    waiting,
  );
  return { send, waits, bodies };
}

const get = (): Request => new Request(URL_OF_API);
const post = (path: string): Request =>
  new Request(`https://api.example${path}`, { method: 'POST', body: '{"locators":[]}' });

describe('a request that is refused for the moment', () => {
  it('is sent again after as long as the service asks, and a little more', async () => {
    const { send, waits } = play([refusal(429, '7'), refusal(503, '2'), new Response('yes')]);
    const answer = await send(get());
    expect([answer.status, await answer.text()]).toEqual([200, 'yes']);
    expect(waits).toEqual([7_250, 2_250]);
  });

  it('takes a date for an answer too', async () => {
    const { send, waits } = play([refusal(503, 'Thu, 01 Jan 1970 00:00:05 GMT'), new Response('yes')]);
    await send(get());
    expect(waits).toEqual([5_250]);
  });

  it('waits longer each time, up to a bound, where the service does not say', async () => {
    const turns = Array.from({ length: 8 }, () => refusal(503));
    const { send, waits } = play([...turns, new Response('yes')], { options: { retries: 8 }, random: 1 });
    await send(get());
    expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
  });

  it('is handed back once it was sent often enough', async () => {
    const { send, waits, bodies } = play(Array.from({ length: 9 }, () => refusal(503, '1')));
    expect((await send(get())).status).toBe(503);
    expect([waits.length, bodies.length]).toEqual([3, 4]);
  });

  it('is handed back at once where the wait does not fit the budget', async () => {
    const { send, waits } = play([refusal(429, '60')]);
    expect((await send(get())).status).toBe(429);
    expect(waits).toEqual([]);
  });

  it('is sent again whatever it does, for nothing was done', async () => {
    const { send, bodies } = play([refusal(429, '1'), new Response('{}')]);
    expect((await send(post('/api/v2/anything'))).status).toBe(200);
    expect(bodies).toEqual(['{"locators":[]}', '{"locators":[]}']);
  });
});

it.each([400, 401, 404, 500, 504])('hands back an answer of status %i at once', async (status) => {
  const { send, bodies } = play([refusal(status, '1')]);
  expect((await send(get())).status).toBe(status);
  expect(bodies).toHaveLength(1);
});

describe('a request that nobody answers', () => {
  const broken = new TypeError('fetch failed');

  it('is sent again where sending twice does no harm', async () => {
    for (const request of [get(), post('/api/v2/resolve/batch')]) {
      const { send, bodies } = play([broken, broken, new Response('yes')]);
      expect(await (await send(request)).text()).toBe('yes');
      expect(bodies).toHaveLength(3);
    }
  });

  it('is an error at once where it might do harm', async () => {
    const { send, bodies } = play([broken]);
    await expect(send(post('/api/v2/anything'))).rejects.toMatchObject({ code: 'network_error' });
    expect(bodies).toHaveLength(1);
  });

  it('is an error that says why in the end', async () => {
    const { send } = play([broken, broken, broken, broken]);
    const error = await send(get()).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(LinernotesError);
    expect(error).toMatchObject({
      code: 'network_error',
      status: null,
      message: 'No answer came from https://api.example.',
      cause: broken,
    });
  });

  it('counts an answer that breaks off as none', async () => {
    const half = new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode('{"half":'));
          controller.error(new TypeError('terminated'));
        },
      }),
    );
    const { send } = play([half, new Response('{"whole":true}')]);
    expect(await (await send(get())).json()).toEqual({ whole: true });
  });

  it('is given up when an attempt takes too long', async () => {
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
  it('ends a request under way with its reason', async () => {
    const giveUp = new AbortController();
    const reason = new Error('no longer wanted');
    const send = withRetries(
      (request) =>
        new Promise((_resolve, reject) => {
          request.signal.addEventListener('abort', () => reject(request.signal.reason));
          giveUp.abort(reason);
        }),
      OPTIONS,
    );
    await expect(send(new Request(URL_OF_API, { signal: giveUp.signal }))).rejects.toBe(reason);
  });

  it('ends a wait with its reason', async () => {
    const giveUp = new AbortController();
    const reason = new Error('no longer wanted');
    const send = withRetries(async () => {
      setImmediate(() => giveUp.abort(reason));
      return refusal(503, '30');
    }, OPTIONS);
    await expect(send(new Request(URL_OF_API, { signal: giveUp.signal }))).rejects.toBe(reason);
  });
});
