import { escapeHtml } from '../../http/escape-html.ts';
import type { HtmlPage } from '../http/page.ts';
import type { Contract } from './contract.ts';

type Cell = string | number | boolean;

/**
 * The contract as a page for people. Every entry can be linked to by its number.
 *
 * @param newest the revision in force
 */
export function renderContract(contract: Contract, newest: number): HtmlPage {
  const title = contract.title;
  return {
    title,
    isWide: true,
    main: `<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(contract.description)}</p>
<p class="soft">${contract.contract}, revision ${contract.revision}. <a href="/contracts/v1.json?revision=${contract.revision}">As JSON</a></p>
${renderRevisions(contract.revision, newest)}
<h2>Consumers</h2>
${consumers(contract)}
<h2>Routes</h2>
${contract.routes.map(route).join('\n')}
<h2>Resources</h2>
${contract.resources.map(resource).join('\n')}
<h2>Error codes</h2>
${table(
  ['No.', 'Code', 'Status', 'When'],
  contract.codes.map(({ no, code, status, general, when }) => [
    no,
    code,
    status,
    `${when}${general ? ' Any route may respond with it.' : ''}`,
  ]),
)}
<h2>Limits</h2>
${table(
  ['No.', 'Limit', 'Value', 'What it means'],
  contract.limits.map(({ no, name, value, unit, description }) => [
    no,
    name,
    `${value} ${unit}`,
    description,
  ]),
)}
<h2>Rules</h2>
${table(
  ['No.', 'Rule'],
  contract.rules.map(({ no, text }) => [no, text]),
)}`,
  };
}

function renderRevisions(revision: number, newest: number): string {
  const links = Array.from({ length: newest }, (_, index) => index + 1)
    .filter((other) => other !== revision)
    .map((other) => `<a href="/contracts/v1?revision=${other}">${other}</a>`);
  const state = revision === newest ? 'This revision is in force.' : 'This revision is no longer in force.';
  return `<p class="soft">${state}${links.length === 0 ? '' : ` Other revisions: ${links.join(', ')}`}</p>`;
}

const consumers = ({ consumers }: Contract): string =>
  table(
    ['No.', 'Consumer', 'Origin', 'Return prefixes', 'Services'],
    consumers.map(({ no, name, origin, return_prefixes: prefixes, services }) => [
      no,
      name,
      origin,
      prefixes.join(', '),
      services.join(', '),
    ]),
  );

const route = ({
  no,
  method,
  path,
  summary,
  auth,
  cors,
  head,
  ...rest
}: Contract['routes'][number]): string => {
  const { query, request, answers, codes } = rest;
  const facts: readonly (readonly [string, string])[] = [
    ['Authentication', auth],
    ['From pages of consumers', cors ? 'yes' : 'no'],
    ['HEAD', head ? 'supported' : ''],
    ['Query', query.join(', ')],
    ['Body', request ?? ''],
    ...answers.map(({ status, body, when }) => [`${status} ${body}`, when] as const),
    ['Errors', codes.join(', ')],
  ];
  const list = facts.map(([name, text]) =>
    text === '' ? '' : `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(text)}</dd>`,
  );
  return `<section class="card" id="${no}">
<h3>${no} <code>${method} ${escapeHtml(path)}</code></h3>
<p>${escapeHtml(summary)}</p>
<dl>${list.join('')}</dl>
</section>`;
};

const resource = ({ no, name, media, fields }: Contract['resources'][number]): string =>
  `<h3 id="${no}">${no} ${escapeHtml(name)}</h3>
<p class="soft">${escapeHtml(media)}</p>
${table(
  ['No.', 'Field', 'Type', 'Required', 'What it is'],
  fields.map(({ no, name, type, required, description }) => [
    no,
    name,
    type,
    required ? 'yes' : 'no',
    description,
  ]),
)}`;

/** A table whose first column is the number of each row. If it is too wide, it scrolls by keyboard. */
function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const cell = (value: Cell): string => escapeHtml(String(value));
  const body = rows.map(
    ([no = '', ...cells]) =>
      `<tr id="${cell(no)}"><th scope="row">${cell(no)}</th>${cells.map((value) => `<td>${cell(value)}</td>`).join('')}</tr>`,
  );
  return `<div class="scroll" tabindex="0"><table><thead><tr>${head.map((name) => `<th scope="col">${name}</th>`).join('')}</tr></thead><tbody>${body.join('')}</tbody></table></div>`;
}
