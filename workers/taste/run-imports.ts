import { ownerLookup } from '../../projections/identity/read.ts';
import { pause } from '../until-it-works.ts';
import { ask } from './ask.ts';
import { beginTurn, type Cursor, type ImportTurn, nextTurn, settleConfigured } from './import-rows.ts';
import type { ImportCounts, ImportParts, Lane } from './lane.ts';
import { giveUp, putOff } from './put-off.ts';
import { holdOffMs } from './rate-headers.ts';
import { runTogether } from './run-together.ts';
import { savePage } from './save-page.ts';
import { forgetFailures, holdOff, takeSlot } from './slots.ts';
import { later, never, type Reading } from './upstream.ts';

/**
 * Imports what is to be imported, of all services at once and of each one page at a time, in turn among all who wait, so
 * that a large collection holds up nobody. Ends when nothing may go on at the moment, of any service.
 *
 * @throws the signal's reason, and errors of the database; whatever a service does is noted in the import
 */
export async function runImports(parts: ImportParts): Promise<ImportCounts> {
  const { pool, upstreams, log, signal, lookMs } = parts;
  const counts: ImportCounts = { pages: 0, done: 0, failed: 0, postponed: 0 };
  const unconfigured = await settleConfigured(
    pool,
    upstreams.map(({ service }) => service),
  );
  if (unconfigured > 0) log.warn({ imports: unconfigured }, 'imports from services that are not set up');
  counts.failed += unconfigured;
  const endAt = performance.now() + parts.runMs;
  const lanes = upstreams.map((upstream): Lane => ({ ...parts, upstream, counts, owner: ownerLookup(pool) }));
  await runTogether(
    lanes.map((lane) => () => takeTurn(lane)),
    { endAt, signal, lookMs },
  );
  return counts;
}

/** Reads one page, or finds out why it cannot. False where nothing may go on at the moment. */
async function takeTurn(lane: Lane): Promise<boolean> {
  const { pool, upstream, signal } = lane;
  const turn = await nextTurn(pool, upstream.service);
  if (turn === null) return false;
  const waitMs = await takeSlot(pool, upstream);
  if (waitMs === null) return false;
  await pause(waitMs, signal);
  signal.throwIfAborted();
  if (await beginTurn(pool, turn)) await advance(lane, turn);
  return true;
}

async function advance(lane: Lane, turn: ImportTurn): Promise<void> {
  const reading = await readPage(lane, turn);
  if (reading.kind === 'later') return putOff(lane, turn, reading.failure);
  if (reading.kind === 'never') return giveUp(lane, turn, reading.failure);
  return keepPage(lane, turn, reading);
}

/** Nothing but a name is one: a path of dots would lead elsewhere. */
const isName = (username: string): boolean => /^(?!\.+$)[^\p{Cc}]{1,255}$/u.test(username);

async function readPage(
  { pool, upstream, signal, limits }: Lane,
  { username, cursor }: ImportTurn,
): Promise<Reading> {
  if (!isName(username)) return never('user_not_found');
  const at = cursor?.at ?? upstream.first;
  const answer = await ask(upstream.request(username, at), signal, limits);
  if (typeof answer === 'string') return later(answer);
  const reading = upstream.read(answer, at);
  const holdMs = Math.max(
    holdOffMs(answer.status, answer.headers, Date.now()),
    reading.kind === 'later' ? reading.holdMs : 0,
  );
  if (holdMs > 0) await holdOff(pool, upstream, holdMs);
  const isAnswered = reading.kind !== 'later' || reading.failure === 'not_computed';
  if (isAnswered) await forgetFailures(pool, upstream);
  return reading;
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
