import { IMPORT_FAILURES, type ImportFailure } from '../../../projections/taste/import-failure.ts';
import { escapeHtml } from '../../http/escape-html.ts';
import type { Page } from '../http/page.ts';
import { SERVICES } from './connect-request.ts';
import type { Connection } from './read-connections.ts';

/** How often the page looks again while an import is under way. */
const REFRESH_SECONDS = 5;

export interface ShownConnection extends Connection {
  readonly consumerName: string;
  readonly formToken: string;
}

/** Says what a browser's person has connected and how far the imports are; nothing of what was imported, nor from whom. */
export function renderStatus(connections: readonly ShownConnection[], mayRefresh: boolean): Page {
  const isPending = connections.some(({ state }) => state === 'queued' || state === 'running');
  const title = 'Your connections';
  if (connections.length === 0)
    return {
      title,
      main: `<h1>${title}</h1>
<p>Nothing is connected from this browser. An app that wants to know your artists sends you here to connect.</p>`,
    };
  return {
    title,
    ...(isPending && mayRefresh ? { refreshSeconds: REFRESH_SECONDS } : {}),
    main: `<h1>${title}</h1>
<p>Withdrawing a consent ends what the app can read, and removes what was imported for it.</p>
${isPending ? renderRefresh(mayRefresh) : ''}${connections.map(renderConnection).join('\n')}`,
  };
}

const renderRefresh = (mayRefresh: boolean): string =>
  mayRefresh
    ? `<p class="soft">This page looks again every ${REFRESH_SECONDS} seconds. <a href="/connect/status?refresh=off">Stop that</a></p>
`
    : `<p class="soft">An import is under way. <a href="/connect/status?refresh=off">Look again</a></p>
`;

function renderConnection(connection: ShownConnection): string {
  const { consumerName, service, grantedAt, receipt, formToken } = connection;
  const [day] = grantedAt.toISOString().split('T');
  const name = escapeHtml(consumerName);
  return `<section class="card">
<h2>${name}: ${SERVICES[service].name}</h2>
<dl>
<dt>Import</dt><dd>${escapeHtml(stateText(connection))}</dd>
<dt>Consent</dt><dd>given on <time datetime="${grantedAt.toISOString()}">${day}</time></dd>
<dt>Receipt</dt><dd><code>${escapeHtml(receipt)}</code></dd>
</dl>
<form method="post" action="/connect/withdraw">
<input type="hidden" name="receipt" value="${escapeHtml(receipt)}">
<input type="hidden" name="form_token" value="${formToken}">
<button class="quiet" type="submit">Withdraw consent<span class="hidden"> of ${name} to your ${SERVICES[service].source}</span></button>
</form>
</section>`;
}

const STATES: Readonly<Record<Connection['state'], string>> = {
  queued: 'waiting to begin',
  running: 'under way',
  done: 'done',
  failed: 'failed',
};

function stateText({ state, failure }: Connection): string {
  const reason = failure === null ? undefined : reasonOf(failure);
  return state === 'done' || reason === undefined ? STATES[state] : `${STATES[state]}. ${reason}`;
}

const reasonOf = (failure: string): string | undefined =>
  Object.hasOwn(IMPORT_FAILURES, failure) ? IMPORT_FAILURES[failure as ImportFailure] : undefined;
