/** Work that waits for its turn, runs, and ends. */
export interface Work {
  /** Who pays for it: a key, or a network without one. */
  readonly party: string;
  /** Units of the capacity. */
  readonly cost: number;
  readonly start: () => void;
  /** Called instead of `start` when other parties need the room. */
  readonly shed: () => void;
}

export interface WorkLimits {
  /** Units of work that run at the same time. */
  readonly capacity: number;
  /** Units of one party while others have work too; larger work runs alone among its own. */
  readonly perParty: number;
}

/** Lets work begin in fair turns. */
export interface FairQueue {
  /** Starts the work now or later. */
  enter(work: Work): void;
  /** Ends the work, or its wait; may be called again. */
  leave(work: Work): void;
  hasWaiting(party: string): boolean;
  /** Sheds the newest waiting work of a party, if it has any. */
  shedFrom(party: string): void;
  /** Ends work that has run for longer. Its request is long gone. */
  endOlderThan(ms: number): void;
  waiting(): number;
  running(): number;
}

interface Party {
  readonly waiting: Work[];
  /** Units that run. */
  used: number;
  /** Units that began, on a clock that all parties share. */
  begun: number;
}

/** Work of many statements. With the default capacity: one of a party beside others, four in all. */
export const COSTLY = 64;

/** So that one party, whose statements would wait before those of others, never has most of the connections of the pool. */
const SHARES = 16;

export const workLimits = (capacity: number): WorkLimits => ({
  capacity,
  perParty: Math.max(1, Math.floor(capacity / SHARES)),
});

/** A statement that no other request shares. With the default capacity: four of a party beside others. */
export const MODERATE = 4;

export const DEFAULT_WORK_CAPACITY = 256;

/** A party counts as active for this long after its last work arrived. */
const ACTIVE_MS = 1_000;

/**
 * Start-time fair queuing: the party whose work began least goes first, and a party that comes back starts at the time of
 * the others, so that nobody saves up. A party alone may use all of the capacity; beside others it has `perParty`, so that
 * their next work finds room, and a database connection, at once.
 */
export function fairQueue({ capacity, perParty }: WorkLimits, now: () => number): FairQueue {
  const parties = new Map<string, Party>();
  /** When work began, the earliest first. */
  const running = new Map<Work, number>();
  const mostCost = Math.max(perParty, Math.floor(capacity / 2));
  const costOf = ({ cost }: Work): number => Math.min(cost, mostCost);
  let used = 0;
  let waiting = 0;
  let clock = 0;
  /** The latest party, and the latest before it. */
  let latest = { name: '', at: Number.NEGATIVE_INFINITY };
  let previous = latest;

  function see(name: string, at: number): void {
    if (latest.name === name) {
      latest.at = at;
      return;
    }
    previous = latest;
    latest = { name, at };
  }

  const hasCompany = (name: string, at: number): boolean =>
    at - (latest.name === name ? previous : latest).at < ACTIVE_MS;

  function partyOf(name: string): Party {
    const known = parties.get(name);
    if (known !== undefined) return known;
    const party = { waiting: [], used: 0, begun: clock };
    parties.set(name, party);
    return party;
  }

  function mayRun(party: Party, work: Work, at: number): boolean {
    return !hasCompany(work.party, at) || party.used === 0 || party.used + costOf(work) <= perParty;
  }

  function startNext(): boolean {
    const at = now();
    let next: Party | null = null;
    for (const party of parties.values()) {
      const [head] = party.waiting;
      if (head === undefined || (next !== null && party.begun >= next.begun)) continue;
      if (mayRun(party, head, at)) next = party;
    }
    const [work] = next?.waiting ?? [];
    // Smaller work does not overtake, or large work would wait forever.
    if (next === null || work === undefined || used + costOf(work) > capacity) return false;
    next.waiting.shift();
    waiting--;
    run(next, work, at);
    return true;
  }

  function run(party: Party, work: Work, at: number): void {
    clock = Math.max(clock, party.begun);
    party.begun = clock + costOf(work);
    party.used += costOf(work);
    used += costOf(work);
    running.set(work, at);
    work.start();
  }

  function forget(name: string, party: Party): void {
    if (party.used === 0 && party.waiting.length === 0) parties.delete(name);
  }

  function leave(work: Work): void {
    const party = parties.get(work.party);
    if (party === undefined) return;
    if (running.delete(work)) {
      party.used -= costOf(work);
      used -= costOf(work);
    } else {
      const index = party.waiting.indexOf(work);
      if (index < 0) return;
      party.waiting.splice(index, 1);
      waiting--;
    }
    forget(work.party, party);
    while (waiting > 0 && startNext());
  }

  return {
    enter(work) {
      const at = now();
      see(work.party, at);
      const party = partyOf(work.party);
      if (waiting === 0 && used + costOf(work) <= capacity && mayRun(party, work, at))
        return run(party, work, at);
      party.waiting.push(work);
      waiting++;
      while (startNext());
    },
    leave,
    hasWaiting: (name) => (parties.get(name)?.waiting.length ?? 0) > 0,
    shedFrom(name) {
      const party = parties.get(name);
      const work = party?.waiting.pop();
      if (party === undefined || work === undefined) return;
      waiting--;
      forget(name, party);
      work.shed();
    },
    endOlderThan(ms) {
      for (const [work, at] of running) {
        if (now() - at <= ms) break;
        leave(work);
      }
    },
    waiting: () => waiting,
    running: () => used,
  };
}
