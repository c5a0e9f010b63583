import { pause } from '../../infra/runtime/retry.ts';
import { matchLookups } from '../../projections/models/taste/match-items.ts';
import type { ImportContext, ImportCounts, ImportOptions } from './import-context.ts';
import {
  applyConfiguredServices,
  beginImport,
  type Cursor,
  type DueImport,
  nextDueImport,
  workingAccount,
} from './import-rows.ts';
import { failForGood, isOpen, openCircuit, postponeImport } from './postpone-import.ts';
import { requestedPauseMs } from './rate-headers.ts';
import { requestUpstream } from './request-upstream.ts';
import { runConcurrently } from './run-concurrently.ts';
import { savePage } from './save-page.ts';
import { pauseRequests, reserveSlot, resetFailures } from './slots.ts';
import { type PageResult, permanent, transient } from './upstream.ts';

/**
 * Runs due imports: all services concurrently, one page at a time per service. Imports take turns by page, so that a
 * large collection delays no other. Ends when no import is due.
 *
 * @throws the signal's reason and database errors; the import records failures of a service
 */
export async function runImports(parts: ImportOptions): Promise<ImportCounts> {
  const { pool, upstreams, log, signal, pollMs } = parts;
  const counts: ImportCounts = { pages: 0, done: 0, failed: 0, postponed: 0 };
  const unconfigured = await applyConfiguredServices(
    pool,
    upstreams.map(({ service }) => service),
  );
  if (unconfigured > 0) log.warn({ imports: unconfigured }, 'imports from services that are not configured');
  counts.failed += unconfigured;
  const endAt = performance.now() + parts.runMs;
  const contexts = upstreams.map(
    (upstream): ImportContext => ({ ...parts, upstream, counts, lookups: matchLookups(pool) }),
  );
  await runConcurrently(
    contexts.map((context) => () => importNextPage(context)),
    { endAt, signal, pollMs },
  );
  return counts;
}

/** Imports one page or records the failure. Returns false if no import is due or its service is paused. */
async function importNextPage(context: ImportContext): Promise<boolean> {
  const { pool, upstream, signal } = context;
  const due = await nextDueImport(pool, upstream.service);
  if (due === null) return false;
  const slot = await reserveSlot(pool, upstream);
  if (slot === null) return false;
  await pause(slot.waitMs, signal);
  signal.throwIfAborted();
  if (isOpen(context, slot.failures)) {
    const probed = await probe(context);
    if (probed !== 'no account') return true;
  }
  if (await beginImport(pool, due)) await importPage(context, due);
  return true;
}

/**
 * Closes the circuit of a service if it can be read for an account that worked before. The accounts that failed may be at
 * fault themselves, so they cannot tell whether the service works.
 */
async function probe(context: ImportContext): Promise<'closed' | 'open' | 'no account'> {
  const username = await workingAccount(context.pool, context.upstream.service);
  if (username === null) return 'no account';
  const result = await readPage(context, { username, cursor: null });
  if (!hasFailed(result)) return 'closed';
  await openCircuit(context, { id: null, failure: result.failure });
  return 'open';
}

async function importPage(context: ImportContext, due: DueImport): Promise<void> {
  const result = await readPage(context, due);
  if (result.kind === 'transient') return postponeImport(context, due, result.failure);
  if (result.kind === 'permanent') return failForGood(context, due, result.failure);
  return storePage(context, due, result);
}

/** Rejects names that would change the URL path, such as `..`. */
const isName = (username: string): boolean => /^(?!\.+$)[^\p{Cc}]{1,255}$/u.test(username);

async function readPage(
  { pool, upstream, signal, limits }: ImportContext,
  { username, cursor }: Pick<DueImport, 'username' | 'cursor'>,
): Promise<PageResult> {
  if (!isName(username)) return permanent('user_not_found');
  const at = cursor?.at ?? upstream.first;
  const response = await requestUpstream(upstream.request(username, at), signal, limits);
  if (typeof response === 'string') return transient(response);
  const result = upstream.read(response, at);
  const holdMs = Math.max(
    requestedPauseMs(response.status, response.headers, Date.now()),
    result.kind === 'transient' ? result.holdMs : 0,
  );
  if (holdMs > 0) await pauseRequests(pool, upstream, holdMs);
  if (!hasFailed(result)) await resetFailures(pool, upstream);
  return result;
}

/** Whether the service failed, or responded strangely. Without statistics yet, it works. */
const hasFailed = (result: PageResult): result is Extract<PageResult, { kind: 'transient' }> =>
  result.kind === 'transient' && result.failure !== 'not_computed';

async function storePage(
  { pool, lookups, maxPages, counts, log, upstream }: ImportContext,
  due: DueImport,
  { items, next }: Extract<PageResult, { kind: 'page' }>,
): Promise<void> {
  const pages = (due.cursor?.pages ?? 0) + 1;
  const cursor: Cursor | null = next === null || pages >= maxPages ? null : { at: next, pages };
  const saved = await savePage(pool, lookups, { due, items, next: cursor });
  if (saved === 'gone') return;
  counts.pages++;
  if (saved === 'more') return;
  counts.done++;
  log.info({ service: upstream.service, import: due.id, pages }, 'imported');
}
