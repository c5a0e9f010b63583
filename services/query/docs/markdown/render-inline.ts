import { escapeHtml } from '../../../http/escape-html.ts';

/** Where a link leads from the page; null where it leads to nothing that is served. */
export type LinkTarget = (href: string) => string | null;

const INLINE =
  /(?<ticks>`+)(?<code>.+?)\k<ticks>(?!`)|\*\*(?<strong>[^*]+)\*\*|(?<![\w*])\*(?<emphasis>[^*\s][^*]*)\*(?!\w)|\[(?<label>(?:[^\]`]|`[^`]*`)+)\]\((?<href>[^)\s]+)\)/g;

/** Code, emphasis and links within a line of Markdown, as HTML. Whatever else is there is text. */
export function renderInline(text: string, target: LinkTarget): string {
  let html = '';
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    html += escapeHtml(text.slice(from, match.index)) + renderMatch(match.groups ?? {}, target);
    from = match.index + match[0].length;
  }
  return html + escapeHtml(text.slice(from));
}

function renderMatch(
  { code, strong, emphasis, label = '', href = '' }: Readonly<Record<string, string>>,
  target: LinkTarget,
): string {
  if (code !== undefined) return `<code>${escapeHtml(code.trim())}</code>`;
  if (strong !== undefined) return `<strong>${renderInline(strong, target)}</strong>`;
  if (emphasis !== undefined) return `<em>${renderInline(emphasis, target)}</em>`;
  const inner = renderInline(label, target);
  const to = target(href);
  return to === null ? inner : `<a href="${escapeHtml(to)}">${inner}</a>`;
}

/** Links within the page, within the site and to other sites over HTTP; no others, files least of all. */
export const siteLink: LinkTarget = (href) => (/^(?:#|\/(?!\/)|https?:\/\/)/.test(href) ? href : null);
