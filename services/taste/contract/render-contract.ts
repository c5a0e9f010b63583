import { escapeHtml } from '../../http/escape-html.ts';
import type { Page } from '../http/page.ts';
import type { Contract } from './contract.ts';

type Cell = string | number | boolean;

/** The contract as a page for people. Every entry can be linked to by its number. */
export function renderContract(contract: Contract): Page {
  const title = contract.title;
  return {
    title,
    isWide: true,
    main: `<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(contract.description)}</p>
<p class="soft">${contract.contract}, revision ${contract.revision}. <a href="/contracts/v1.json">As JSON</a></p>
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
    `${when}${general ? ' Any route may answer so.' : ''}`,
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
    ['HEAD', head ? 'answered too' : ''],
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

/** A table whose first column is the number of each row. It can be scrolled by keyboard where it is too wide. */
function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const cell = (value: Cell): string => escapeHtml(String(value));
  const body = rows.map(
    ([no = '', ...cells]) =>
      `<tr id="${cell(no)}"><th scope="row">${cell(no)}</th>${cells.map((value) => `<td>${cell(value)}</td>`).join('')}</tr>`,
  );
  return `<div class="scroll" tabindex="0"><table><thead><tr>${head.map((name) => `<th scope="col">${name}</th>`).join('')}</tr></thead><tbody>${body.join('')}</tbody></table></div>`;
}
