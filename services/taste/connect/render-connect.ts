import { escapeHtml } from '../../http/escape-html.ts';
import type { Page } from '../http/page.ts';
import { type ConnectRequest, SERVICES } from './connect-request.ts';
import type { KnownPerson } from './read-connections.ts';

/** What of a form that was sent cannot be taken, in words for whoever sent it. */
export interface FormFaults {
  readonly consent?: string;
  readonly username?: string;
}

export interface ConnectPage {
  readonly request: ConnectRequest;
  readonly formToken: string;
  /** Whoever has connected from this browser before. */
  readonly known: KnownPerson | null;
  /** As it was typed. */
  readonly username?: string;
  readonly isConsenting?: boolean;
  readonly isSomebodyElse?: boolean;
  readonly faults?: FormFaults;
}

/** The form in which a user consents to one source and says which account it is. */
export function renderConnect(page: ConnectPage): Page {
  const { request, faults = {} } = page;
  const { name } = SERVICES[request.service];
  const consumer = escapeHtml(request.back.consumer.name);
  const hasFaults = Object.keys(faults).length > 0;
  return {
    title: `${hasFaults ? 'Error: ' : ''}Connect your ${name} to ${request.back.consumer.name}`,
    main: `${hasFaults ? renderSummary(faults) : ''}<h1>Connect your ${name} to ${consumer}</h1>
${renderTerms(request)}
<form method="post" action="/connect">
<input type="hidden" name="service" value="${request.service}">
<input type="hidden" name="return" value="${escapeHtml(request.back.href)}">
<input type="hidden" name="form_token" value="${page.formToken}">
${renderConsent(page)}
${renderAccount(page)}
${page.known === null ? '' : renderKnown(page, page.known)}<p class="actions"><button type="submit">Agree and connect</button>
<a href="${escapeHtml(request.back.href)}">Back to ${consumer} without connecting</a></p>
</form>`,
  };
}

function renderTerms({ service, back }: ConnectRequest): string {
  const { source, account } = SERVICES[service];
  const consumer = escapeHtml(back.consumer.name);
  return `<p><strong>${consumer}</strong> (<code>${escapeHtml(back.consumer.origin)}</code>) asks Linernotes which artists are in your ${source}.</p>
<h2>What ${consumer} gets</h2>
<ul>
<li>the artists of your ${source} that Linernotes recognises, as a list without counts or dates</li>
<li>that your ${account} is connected, but not your username</li>
<li>a made-up name for you, which no other app is given</li>
</ul>
<h2>What Linernotes keeps</h2>
<p>The artists it finds, until you withdraw your consent under <a href="/connect/status">your connections</a>; and a
record of what you agreed to, with your username there. ${consumer} can read the list until then, or until it has not asked for 90 days.
If no app ever takes up what you connect here, all of it is gone a week after you were last here.</p>`;
}

/** What is wrong, each with the way to where it is mended. */
function renderSummary({ consent, username }: FormFaults): string {
  const items = [
    ...(consent === undefined ? [] : [`<li><a href="#consent">${escapeHtml(consent)}</a></li>`]),
    ...(username === undefined ? [] : [`<li><a href="#username">${escapeHtml(username)}</a></li>`]),
  ];
  return `<div class="summary" role="alert"><h2>This cannot be sent yet</h2><ul>${items.join('')}</ul></div>
`;
}

const faultText = (id: string, fault: string | undefined): string =>
  fault === undefined ? '' : `<p class="wrong" id="${id}">${escapeHtml(fault)}</p>\n`;

function renderConsent({ request, isConsenting = false, faults = {} }: ConnectPage): string {
  const { source } = SERVICES[request.service];
  const isWrong = faults.consent !== undefined;
  return `<fieldset>
<legend>1. Your consent</legend>
${faultText('consent-fault', faults.consent)}<label class="tick"><input type="checkbox" id="consent" name="consent" value="yes" required${isConsenting ? ' checked' : ''}${isWrong ? ' aria-invalid="true" aria-describedby="consent-fault" autofocus' : ''}>
<span>I agree that Linernotes imports the artists of my ${source} and shows them to ${escapeHtml(request.back.consumer.name)}.</span></label>
</fieldset>`;
}

function renderAccount({ request, username = '', faults = {} }: ConnectPage): string {
  const isWrong = faults.username !== undefined;
  const takesFocus = isWrong && faults.consent === undefined;
  return `<fieldset>
<legend>2. Your ${SERVICES[request.service].account}</legend>
<label class="field" for="username">Username</label>
<p class="hint" id="username-hint">As it stands in the address of your public page there. No password is needed.</p>
${faultText('username-fault', faults.username)}<input type="text" id="username" name="username" value="${escapeHtml(username)}" required maxlength="200" autocomplete="off" autocapitalize="none" autocorrect="off" spellcheck="false" aria-describedby="username-hint${isWrong ? ' username-fault' : ''}"${isWrong ? ' aria-invalid="true"' : ''}${takesFocus ? ' autofocus' : ''}>
</fieldset>`;
}

/** What becomes of what was connected before, either way; neither what it is nor of whom, for the browser may be shared. */
function renderKnown(
  { request, isSomebodyElse = false }: ConnectPage,
  { isConnected, isShown }: KnownPerson,
): string {
  const consumer = escapeHtml(request.back.consumer.name);
  const { source, account } = SERVICES[request.service];
  const replaced = `<p class="hint">A ${source} is connected to ${consumer} from this browser already. It is replaced: whoever uses ${consumer} as that person is shown the ${account} you enter instead.</p>
`;
  const left = `<p class="hint" id="left-hint">What was connected before stays connected then, but can no longer be seen or withdrawn from this browser. <a href="/connect/status">Withdraw it first</a>, or keep its receipts from there: by them it can still be found and removed.</p>
`;
  return `<fieldset>
<legend>3. Who you are here</legend>
<p class="hint" id="else-hint">Somebody has connected from this browser before. You go on as the same person, whom ${consumer} knows by the same made-up name. A username alone tells nobody who you are.</p>
${isShown ? replaced : ''}<label class="tick"><input type="checkbox" name="as_somebody_else" value="yes" aria-describedby="else-hint${isConnected ? ' left-hint' : ''}"${isSomebodyElse ? ' checked' : ''}>
<span>Connect as somebody else</span></label>
${isConnected ? left : ''}</fieldset>
`;
}
