import { escapeHtml } from '../../../http/escape-html.ts';
import { type LinkTarget, renderInline, siteLink } from './render-inline.ts';

/** A block of lines that begins where `matches` says, up to where `ends` says. */
interface Block {
  readonly matches: RegExp;
  readonly render: (lines: readonly string[], target: LinkTarget) => string;
  /** Whether a line after the first still belongs to it. */
  readonly goesOn: (line: string) => boolean;
  /** Whether the line that ends it belongs to it. */
  readonly hasEnd?: boolean;
}

const FENCE = /^```/;
const HEADING = /^(?<marks>#{1,6})\s+(?<text>.+?)\s*$/;
const TABLE = /^\|/;
const BULLET = /^[-*]\s+/;
const NUMBER = /^\d+\.\s+/;

const BLOCKS: readonly Block[] = [
  { matches: FENCE, render: renderFence, goesOn: (line) => !FENCE.test(line), hasEnd: true },
  { matches: HEADING, render: renderHeading, goesOn: () => false },
  { matches: TABLE, render: renderTable, goesOn: (line) => TABLE.test(line) },
  {
    matches: BULLET,
    render: listOf('ul', BULLET),
    goesOn: (line) => BULLET.test(line) || /^\s+\S/.test(line),
  },
  {
    matches: NUMBER,
    render: listOf('ol', NUMBER),
    goesOn: (line) => NUMBER.test(line) || /^\s+\S/.test(line),
  },
];

const PARAGRAPH: Block = {
  matches: /\S/,
  render: (lines, target) => `<p>${renderInline(lines.join(' '), target)}</p>`,
  goesOn: (line) => line.trim() !== '' && !BLOCKS.some(({ matches }) => matches.test(line)),
};

/**
 * Markdown of headings, paragraphs, lists of one level, tables, fenced code, emphasis, code and links as HTML. Everything
 * else, HTML included, is text.
 */
export function renderMarkdown(text: string, target: LinkTarget = siteLink): string {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const html: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const first = lines[at] ?? '';
    if (first.trim() === '') {
      at++;
      continue;
    }
    const block = BLOCKS.find(({ matches }) => matches.test(first)) ?? PARAGRAPH;
    let end = at + 1;
    while (end < lines.length && block.goesOn(lines[end] ?? '')) end++;
    if (block.hasEnd) end++;
    html.push(block.render(lines.slice(at, end), target));
    at = end;
  }
  return html.join('\n');
}

function renderFence([, ...lines]: readonly string[]): string {
  if (FENCE.test(lines.at(-1) ?? '')) lines.pop();
  return `<pre tabindex="0"><code>${escapeHtml(lines.join('\n'))}</code></pre>`;
}

function renderHeading([line = '']: readonly string[], target: LinkTarget): string {
  const { marks = '#', text = '' } = HEADING.exec(line)?.groups ?? {};
  const level = marks.length;
  return `<h${level} id="${headingId(text)}">${renderInline(text, target)}</h${level}>`;
}

/** The id that links to a heading use: its words in lower case, with hyphens between. */
const headingId = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replaceAll(/\s+/g, '-');

function listOf(tag: 'ul' | 'ol', mark: RegExp): Block['render'] {
  return (lines, target) => {
    const items: string[] = [];
    for (const line of lines) {
      if (mark.test(line)) items.push(line.replace(mark, ''));
      else items.push(`${items.pop() ?? ''} ${line.trim()}`);
    }
    return `<${tag}>${items.map((item) => `<li>${renderInline(item, target)}</li>`).join('')}</${tag}>`;
  };
}

const RULE = /^[\s|:-]+$/;

/** The first line is the head; where all of it is blank, the first column says what the others are of. */
function renderTable(lines: readonly string[], target: LinkTarget): string {
  const [head = [], ...rows] = lines
    .filter((line, index) => index !== 1 || !RULE.test(line))
    .map((line) => cellsOf(line).map((cell) => renderInline(cell, target)));
  const hasHead = head.some((cell) => cell !== '');
  const headHtml = hasHead
    ? `<thead><tr>${head.map((cell) => `<th scope="col">${cell}</th>`).join('')}</tr></thead>`
    : '';
  const rowHtml = rows.map(([first = '', ...cells]) => {
    const lead = hasHead ? `<td>${first}</td>` : `<th scope="row">${first}</th>`;
    return `<tr>${lead}${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  });
  return `<div class="wide" tabindex="0"><table>${headHtml}<tbody>${rowHtml.join('')}</tbody></table></div>`;
}

/** A bar within code, or after a backslash, parts no cells. */
const cellsOf = (line: string): string[] =>
  [
    ...line
      .trim()
      .replace(/^\|/, '')
      .matchAll(/(?<cell>(?:`[^`]*`|\\\||[^|])*)\|/g),
  ].map((match) => (match.groups?.cell ?? '').trim().replaceAll('\\|', '|'));
