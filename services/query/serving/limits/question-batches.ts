import type { LimitStore } from './limit-store.ts';
import type { RatePolicy } from './policy.ts';

/** A window of a subject, by its key in the store. */
export interface AskedWindow {
  readonly key: string;
  readonly policy: RatePolicy;
}

/** Places that requests under way take, by their key in the store. */
export interface AskedPlaces {
  readonly key: string;
  readonly most: number;
  /** How many this process has taken. */
  readonly own: () => number;
}

/** What requests that are alike ask together. */
interface Question {
  readonly places: AskedPlaces | null;
  readonly windows: readonly AskedWindow[];
}

/** How things stood before the requests that asked. */
export interface Before {
  /** By the clock of the store, in milliseconds since 1970. */
  readonly now: number;
  /** Places that were taken, here and elsewhere; 0 where they are not limited. */
  readonly taken: number;
  /** Requests that each window had counted. */
  readonly used: readonly number[];
}

/** Told how the windows stood before, and how many asked with the request but before it; or that nothing was answered. */
interface Asker {
  answered(before: Before, earlier: number, windows: readonly AskedWindow[]): void;
  failed(): void;
}

interface QuestionBatches {
  /** Counts a request; those of one name that arrive together are one question. */
  ask(name: string, question: () => Question, asker: Asker): void;
  /** Asks how things stand without counting a request. */
  look(question: Question): Promise<Before>;
  /** Tells of places given back, with the next questions or soon. */
  tell(places: AskedPlaces): void;
}

interface Pending extends Question {
  readonly counted: Asker[];
  readonly lookers: PromiseWithResolvers<Before>[];
}

/** How long places that are given back may go untold. */
const TELL_WITHIN_MS = 5;
/** Longer than any request is under way; places of a process that ended without a word are free after it. */
const LEASE_MS = 20_000;

/**
 * Puts the questions of all requests that arrive in one turn of the event loop, or while others are asked, to the store
 * in one round trip.
 *
 * @param process a name of this process that no other has
 */
export function questionBatches(store: LimitStore, process: string): QuestionBatches {
  let pending = new Map<string, Pending>();
  let isScheduled = false;
  let isUnderWay = false;
  let isToTell = false;

  function schedule(): void {
    if (isScheduled || isUnderWay || pending.size === 0) return;
    isScheduled = true;
    setImmediate(() => void flush());
  }

  async function flush(): Promise<void> {
    isScheduled = false;
    const asked = [...pending.values()];
    pending = new Map();
    isUnderWay = true;
    try {
      const { keys, values } = wordsOf(asked, process);
      settle(asked, await store.count(keys, values));
    } catch (error) {
      for (const question of asked) fail(question, error);
    } finally {
      isUnderWay = false;
      schedule();
    }
  }

  function questionOf(name: string, make: () => Question): Pending {
    const known = pending.get(name);
    if (known !== undefined) return known;
    const begun = { ...make(), counted: [], lookers: [] };
    pending.set(name, begun);
    return begun;
  }

  return {
    ask(name, question, asker) {
      questionOf(name, question).counted.push(asker);
      schedule();
    },
    look(question) {
      const looker = Promise.withResolvers<Before>();
      const name = `look ${question.windows.map(({ key }) => key).join(' ')}`;
      questionOf(name, () => question).lookers.push(looker);
      schedule();
      return looker.promise;
    },
    tell(places) {
      questionOf(`tell ${places.key}`, () => ({ places, windows: [] }));
      if (isToTell) return;
      isToTell = true;
      setTimeout(() => {
        isToTell = false;
        schedule();
      }, TELL_WITHIN_MS).unref();
    },
  };
}

function wordsOf(asked: readonly Pending[], process: string) {
  const keys: string[] = [];
  const values: (string | number)[] = [process, LEASE_MS];
  for (const { places, windows, counted } of asked) {
    values.push(counted.length, places?.own() ?? 0, places?.most ?? -1, windows.length);
    if (places !== null) keys.push(places.key);
    for (const { key, policy } of windows) {
      keys.push(key);
      values.push(policy.limit, policy.windowMs);
    }
  }
  return { keys, values };
}

function settle(asked: readonly Pending[], answer: readonly number[]): void {
  const [now = 0] = answer;
  let at = 1;
  for (const { places, windows, counted, lookers } of asked) {
    const taken = places === null ? 0 : (answer[at++] ?? 0);
    const used = answer.slice(at, at + windows.length);
    at += windows.length;
    const before = { now, taken, used };
    for (const [earlier, asker] of counted.entries()) asker.answered(before, earlier, windows);
    for (const looker of lookers) looker.resolve(before);
  }
}

function fail({ counted, lookers }: Pending, error: unknown): void {
  for (const asker of counted) asker.failed();
  for (const looker of lookers) looker.reject(error);
}
