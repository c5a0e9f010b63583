import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { ownerLookup } from '../../projections/identity/read.ts';
import { type Backoff, backoffMs } from '../backoff.ts';
import { pause } from '../until-it-works.ts';
import { type AskLimits, ask } from './ask.ts';
import {
  beginTurn,
  type Cursor,
  failImport,
  type ImportTurn,
  nextTurn,
  postpone,
  settleConfigured,
} from './import-rows.ts';
import { holdOffMs } from './rate-headers.ts';
import { savePage } from './save-page.ts';
import { holdOff, takeSlot } from './slots.ts';
import type { PassingFailure, Reading, Upstream } from './upstream.ts';

/** How often an import is put off in a row before it fails, and the pauses between, in milliseconds. */
type Patience = Readonly<Record<PassingFailure, Backoff & { readonly attempts: number }>>;

const PATIENCE: Patience = {
  unavailable: { first: 2_000, most: 15 * 60_000, attempts: 12 },
  bad_answer: { first: 10_000, most: 15 * 60_000, attempts: 4 },
  // Some services work statistics out once a day.
  not_computed: { first: 5 * 60_000, most: 3_600_000, attempts: 48 },
  // An operator has to set another key.
  refused: { first: 5 * 60_000, most: 3_600_000, attempts: 48 },
};

interface ImportParts {
  readonly pool: Pool;
  readonly log: Logger;
  readonly upstreams: readonly Upstream[];
  /** Pages of one import; what is beyond is left out. */
  readonly mostPages: number;
  /** No page is begun after so many milliseconds; a later run goes on. */
  readonly runMs: number;
  readonly signal: AbortSignal;
  readonly patience?: Patience;
  readonly limits?: AskLimits;
}

/** What a run did. */
interface ImportCounts {
  pages: number;
  done: number;
  failed: number;
  postponed: number;
}

/**
 * Imports what is to be imported, of all services at once and of each one page at a time, in turn among all who wait, so
 * that a large collection holds up nobody. Ends when nothing may go on at the moment.
 *
 * @throws the signal's reason, and errors of the database; whatever a service does is noted in the import
 */
export async function runImports(parts: ImportParts): Promise<ImportCounts> {
  const { pool, upstreams, log } = parts;
  const counts: ImportCounts = { pages: 0, done: 0, failed: 0, postponed: 0 };
  const unconfigured = await settleConfigured(
    pool,
    upstreams.map(({ service }) => service),
  );
  if (unconfigured > 0) log.warn({ imports: unconfigured }, 'imports from services that are not set up');
  counts.failed += unconfigured;
  const endAt = performance.now() + parts.runMs;
  // Each is waited for, so that nothing goes on when this has ended.
  const lanes = await Promise.allSettled(
    upstreams.map((upstream) => importAll(createLane(parts, upstream, counts), endAt)),
  );
  for (const lane of lanes) if (lane.status === 'rejected') throw lane.reason;
  return counts;
}

interface Lane extends ImportParts {
  readonly upstream: Upstream;
  readonly counts: ImportCounts;
  readonly owner: ReturnType<typeof ownerLookup>;
}

const createLane = (parts: ImportParts, upstream: Upstream, counts: ImportCounts): Lane => ({
  ...parts,
  upstream,
  counts,
  owner: ownerLookup(parts.pool),
});

async function importAll(lane: Lane, endAt: number): Promise<void> {
  const { pool, upstream, signal } = lane;
  while (performance.now() < endAt) {
    signal.throwIfAborted();
    const turn = await nextTurn(pool, upstream.service);
    if (turn === null) return;
    const waitMs = await takeSlot(pool, upstream);
    if (waitMs === null) return;
    await pause(waitMs, signal);
    signal.throwIfAborted();
    if (await beginTurn(pool, turn)) await advance(lane, turn);
  }
}

async function advance(lane: Lane, turn: ImportTurn): Promise<void> {
  const reading = await readPage(lane, turn);
  switch (reading.kind) {
    case 'page':
      return keepPage(lane, turn, reading);
    case 'later':
      return putOff(lane, turn, reading.failure);
    case 'never':
      return giveUp(lane, turn, reading.failure);
  }
}

/** Nothing but a name is one: a path of dots would lead elsewhere. */
const isName = (username: string): boolean => /^(?!\.+$)[^\p{Cc}]{1,255}$/u.test(username);

async function readPage(
  { pool, upstream, signal, limits }: Lane,
  { username, cursor }: ImportTurn,
): Promise<Reading> {
  if (!isName(username)) return { kind: 'never', failure: 'user_not_found' };
  const at = cursor?.at ?? upstream.first;
  const answer = await ask(upstream.request(username, at), signal, limits);
  if (typeof answer === 'string') return { kind: 'later', failure: answer };
  const holdMs = holdOffMs(answer.status, answer.headers, Date.now());
  if (holdMs > 0) await holdOff(pool, upstream, holdMs);
  return upstream.read(answer, at);
}

async function keepPage(
  { pool, owner, mostPages, counts, log, upstream }: Lane,
  turn: ImportTurn,
  { items, next }: Extract<Reading, { kind: 'page' }>,
): Promise<void> {
  const pages = (turn.cursor?.pages ?? 0) + 1;
  const cursor: Cursor | null = next === null || pages >= mostPages ? null : { at: next, pages };
  const saved = await savePage(pool, owner, turn, items, cursor);
  if (saved === 'gone') return;
  counts.pages++;
  if (saved === 'more') return;
  counts.done++;
  log.info({ service: upstream.service, import: turn.id, pages }, 'imported');
}

async function putOff(lane: Lane, turn: ImportTurn, failure: PassingFailure): Promise<void> {
  const { pool, counts, log, upstream, patience = PATIENCE } = lane;
  const attempt = turn.attempt + 1;
  if (attempt >= patience[failure].attempts) return giveUp(lane, turn, failure);
  const ms = backoffMs(attempt, patience[failure]);
  await postpone(pool, turn, { failure, attempt, ms });
  counts.postponed++;
  const level = failure === 'refused' ? 'warn' : 'info';
  log[level](
    { service: upstream.service, import: turn.id, failure, attempt, ms: Math.round(ms) },
    'import put off',
  );
}

async function giveUp(
  { pool, counts, log, upstream }: Lane,
  turn: ImportTurn,
  failure: Parameters<typeof failImport>[2],
): Promise<void> {
  await failImport(pool, turn, failure);
  counts.failed++;
  log.warn({ service: upstream.service, import: turn.id, failure }, 'import failed');
}
