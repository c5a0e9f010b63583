import { describe, expect, it } from 'vitest';
import { pollUntil } from './poll.ts';

const SHORT = { timeoutMs: 20, intervalMs: 1 };

describe('pollUntil', () => {
  it('repeats a check that returns false or fails an assertion', async () => {
    let checks = 0;
    const check = () => {
      checks++;
      if (checks === 1) return false;
      expect(checks).toBeGreaterThan(2);
      return 'done';
    };
    expect(await pollUntil(check, { intervalMs: 1 })).toBe('done');
    expect(checks).toBe(3);
  });

  it('ends with any other error of a check', async () => {
    const broken = () => Promise.reject(new TypeError('broken'));
    await expect(pollUntil(broken)).rejects.toThrow(new TypeError('broken'));
  });

  it('repeats a check after the errors that the caller names', async () => {
    let checks = 0;
    const check = () => {
      if (++checks < 3) throw new TypeError('broken');
      return checks;
    };
    const retryOn = (error: unknown) => error instanceof TypeError;
    expect(await pollUntil(check, { intervalMs: 1, retryOn })).toBe(3);
  });

  it('names the condition and keeps the last failed assertion when the time runs out', async () => {
    const failing = pollUntil(() => expect(1).toBe(2), { what: 'one is two', ...SHORT });
    await expect(failing).rejects.toMatchObject({
      message: 'not within 0.02 s: one is two',
      cause: expect.objectContaining({ name: 'AssertionError' }),
    });
  });

  it('names the source of the check by default', async () => {
    const isReady = false;
    await expect(pollUntil(() => isReady, SHORT)).rejects.toThrow('not within 0.02 s: () => isReady');
  });

  it('times out while a check hangs', async () => {
    await expect(pollUntil(() => new Promise(() => {}), { what: 'an answer', ...SHORT })).rejects.toThrow(
      'not within 0.02 s: an answer',
    );
  });
});
