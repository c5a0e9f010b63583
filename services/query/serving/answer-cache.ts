/** Answers kept for a short while by what was asked, a bounded number of them. */
export interface AnswerCache<T> {
  /** Undefined where there is none, or it is too old. */
  get(asked: string): T | undefined;
  set(asked: string, answer: T): void;
}

interface AnswerCacheOptions {
  readonly keepMs: number;
  /** Beyond so many the oldest is let go. */
  readonly most: number;
  readonly now: () => number;
}

export function answerCache<T>({ keepMs, most, now }: AnswerCacheOptions): AnswerCache<T> {
  const kept = new Map<string, { readonly answer: T; readonly until: number }>();
  return {
    get(asked) {
      const found = kept.get(asked);
      return found !== undefined && now() < found.until ? found.answer : undefined;
    },
    set(asked, answer) {
      kept.delete(asked);
      const [oldest] = kept.keys();
      if (kept.size >= most && oldest !== undefined) kept.delete(oldest);
      kept.set(asked, { answer, until: now() + keepMs });
    },
  };
}
