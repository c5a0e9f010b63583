import { escapeHtml } from '../../http/escape-html.ts';
import type { HtmlPage } from '../http/page.ts';
import { type ConnectRequest, SERVICES } from './connect-request.ts';
import type { KnownPerson } from './read-connections.ts';

/** The invalid fields of a form, in words for its sender. */
export interface FormFaults {
  readonly consent?: string;
  readonly username?: string;
  readonly person?: string;
}

/** Whether the user is the person who has connected from this browser before. */
export type PersonChoice = 'same' | 'other';

export interface ConnectPage {
  readonly request: ConnectRequest;
  readonly formToken: string;
  /** The person who has connected from this browser before; null for none. */
  readonly known: KnownPerson | null;
  /** As the user typed it. */
  readonly username?: string;
  readonly isConsenting?: boolean;
  /** Null before the choice. */
  readonly person?: PersonChoice | null;
  readonly faults?: FormFaults;
}

/** The form in which a user consents to one source and names the account. */
export function renderConnect(page: ConnectPage): HtmlPage {
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
  return `<p><strong>${consumer}</strong> (<code>${escapeHtml(back.consumer.origin)}</code>) requests from Linernotes the artists in your ${source}.</p>
<h2>What ${consumer} gets</h2>
<ul>
<li>the artists of your ${source} that Linernotes recognises, as a list without counts or dates</li>
<li>that your ${account} is connected, but not your username</li>
<li>a made-up name for you, different in every app</li>
</ul>
<h2>What Linernotes keeps</h2>
<p>The artists it finds, until you withdraw your consent under <a href="/connect/status">your connections</a>; and a
record of what you agreed to, with your username there. ${consumer} can read the list until then, or until it has not read it for 90 days.
If no app ever uses your connection, Linernotes deletes all of this a week after your last visit.</p>`;
}

/** The faults, each with a link to its field. */
function renderSummary({ consent, username, person }: FormFaults): string {
  const items = [
    ...(consent === undefined ? [] : [`<li><a href="#consent">${escapeHtml(consent)}</a></li>`]),
    ...(username === undefined ? [] : [`<li><a href="#username">${escapeHtml(username)}</a></li>`]),
    ...(person === undefined ? [] : [`<li><a href="#same">${escapeHtml(person)}</a></li>`]),
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

/**
 * The choice between the person who has connected before and somebody else, without a default. It shows the effect on
 * earlier connections, without naming them or their person, because the browser may be shared.
 */
function renderKnown(
  { request, person = null, faults = {} }: ConnectPage,
  { isConnected, isShown }: KnownPerson,
): string {
  const consumer = escapeHtml(request.back.consumer.name);
  const { source, account } = SERVICES[request.service];
  const fault = faults.person === undefined ? '' : ' person-fault';
  const choice = (value: PersonChoice, hint: string, text: string): string =>
    `<label class="tick"><input type="radio" id="${value}" name="person" value="${value}" required aria-describedby="person-hint${hint}${fault}"${fault === '' ? '' : ' aria-invalid="true"'}${person === value ? ' checked' : ''}>
<span>${text}</span></label>
`;
  const replaced = `<p class="hint" id="same-hint">A ${source} is already connected to ${consumer} from this browser. The ${account} you enter replaces it. If it is another account, ${consumer} has to fetch your artists again with this connection.</p>
`;
  const left = `<p class="hint" id="other-hint">${consumer} can then no longer read what the person before connected, and what was imported for it alone is removed. Connections to other apps stay active, but you can no longer see or withdraw them from this browser. <a href="/connect/status">Withdraw them first</a>, or keep their receipts: with a receipt, a connection can still be found and removed.</p>
`;
  return `<fieldset>
<legend>3. Who you are here</legend>
<p class="hint" id="person-hint">This browser has been used to connect before. A username alone does not identify you. The same person keeps the same made-up name in ${consumer}.</p>
${faultText('person-fault', faults.person)}${choice('same', isShown ? ' same-hint' : '', 'I am the same person')}${isShown ? replaced : ''}${choice('other', isConnected ? ' other-hint' : '', 'I am somebody else')}${isConnected ? left : ''}</fieldset>
`;
}
