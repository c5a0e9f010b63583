import { IMPORT_FAILURES, type ImportFailure } from '../../../projections/models/taste/imports.ts';
import { escapeHtml } from '../../http/escape-html.ts';
import type { HtmlPage } from '../http/page.ts';
import { SERVICES } from './connect-request.ts';
import type { SourceConnection } from './read-connections.ts';

/** How often the page reloads during an import. */
const REFRESH_SECONDS = 5;

export interface ShownConnection extends SourceConnection {
  readonly consumerName: string;
  readonly formToken: string;
}

const NOTHING =
  '<p>Nothing is connected from this browser. An app that requests your artists sends you here to connect.</p>';
const ACTIVE =
  '<p>Withdrawing a consent ends what the app can read, and removes what was imported for it.</p>';

/** Shows a person's connections, the state of their imports, and all receipts; neither content nor usernames. */
export function renderStatus(connections: readonly ShownConnection[], mayRefresh: boolean): HtmlPage {
  const active = connections.filter(({ endedAt }) => endedAt === null);
  const ended = connections.filter(({ endedAt }) => endedAt !== null);
  const isPending = active.some(({ state }) => state === 'queued' || state === 'running');
  const title = 'Your connections';
  return {
    title,
    ...(isPending && mayRefresh ? { refreshSeconds: REFRESH_SECONDS } : {}),
    main: `<h1>${title}</h1>
${active.length === 0 ? NOTHING : ACTIVE}
${isPending ? renderRefresh(mayRefresh) : ''}${active.map(renderConnection).join('\n')}${renderEnded(ended)}`,
  };
}

const renderRefresh = (mayRefresh: boolean): string =>
  mayRefresh
    ? `<p class="soft">This page refreshes every ${REFRESH_SECONDS} seconds. <a href="/connect/status?refresh=off">Stop refreshing</a></p>
`
    : `<p class="soft">An import is in progress. <a href="/connect/status?refresh=off">Refresh</a></p>
`;

function renderTime(at: Date): string {
  const [day] = at.toISOString().split('T');
  return `<time datetime="${at.toISOString()}">${day}</time>`;
}

const renderEnded = (ended: readonly ShownConnection[]): string =>
  ended.length === 0 ? '' : `\n<h2>Ended consents</h2>\n${ended.map(renderReceipts).join('\n')}`;

function renderReceipts({ consumerName, service, ...consent }: ShownConnection): string {
  const { grantedAt, endedAt, receipt, withdrawalReceipt } = consent;
  const withdrawn =
    withdrawalReceipt === null
      ? ''
      : `\n<dt>Receipt of the withdrawal</dt><dd><code>${withdrawalReceipt}</code></dd>`;
  return `<section class="card">
<h3>${escapeHtml(consumerName)}: ${SERVICES[service].name}</h3>
<dl>
<dt>Consent</dt><dd>given on ${renderTime(grantedAt)}, ended on ${renderTime(endedAt ?? grantedAt)}</dd>
<dt>Receipt</dt><dd><code>${escapeHtml(receipt)}</code></dd>${withdrawn}
</dl>
</section>`;
}

function renderConnection(connection: ShownConnection): string {
  const { consumerName, service, grantedAt, receipt, formToken } = connection;
  const name = escapeHtml(consumerName);
  return `<section class="card">
<h2>${name}: ${SERVICES[service].name}</h2>
<dl>
<dt>Import</dt><dd>${escapeHtml(stateText(connection))}</dd>
<dt>Consent</dt><dd>given on ${renderTime(grantedAt)}</dd>
<dt>Receipt</dt><dd><code>${escapeHtml(receipt)}</code></dd>
</dl>
<form method="post" action="/connect/withdraw">
<input type="hidden" name="receipt" value="${escapeHtml(receipt)}">
<input type="hidden" name="form_token" value="${formToken}">
<button class="quiet" type="submit">Withdraw consent<span class="hidden"> of ${name} to your ${SERVICES[service].source}</span></button>
</form>
</section>`;
}

const STATES: Readonly<Record<SourceConnection['state'], string>> = {
  queued: 'waiting to begin',
  running: 'in progress',
  done: 'done',
  failed: 'failed',
};

function stateText({ state, failure }: SourceConnection): string {
  const reason = failure === null ? undefined : reasonOf(failure);
  return state === 'done' || reason === undefined ? STATES[state] : `${STATES[state]}. ${reason}`;
}

const reasonOf = (failure: string): string | undefined =>
  Object.hasOwn(IMPORT_FAILURES, failure) ? IMPORT_FAILURES[failure as ImportFailure] : undefined;
