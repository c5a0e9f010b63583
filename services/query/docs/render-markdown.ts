import MarkdownIt, { type Token } from 'markdown-it';

/** Links within the page, within the site and to other sites over HTTP. Files of the repository are not served. */
const SERVED_LINK = /^(?:#|\/(?!\/)|https?:\/\/)/;

const markdown = new MarkdownIt({ html: false }).disable('image');
// Other links keep their text only; markdown-it would show some of them as source.
markdown.validateLink = () => true;

const { escapeHtml } = markdown.utils;
Object.assign(markdown.renderer.rules, {
  softbreak: () => ' ',
  fence: (tokens: readonly Token[], index: number) =>
    `<pre tabindex="0"><code>${escapeHtml(tokens[index]?.content.trimEnd() ?? '')}</code></pre>\n`,
  table_open: () => '<div class="wide" tabindex="0"><table>\n',
  table_close: () => '</table></div>\n',
});

markdown.core.ruler.push('page', (state) => {
  state.tokens = withTableHeads(state.tokens);
  for (const [index, token] of state.tokens.entries()) {
    if (token.type === 'heading_open') token.attrSet('id', headingId(state.tokens[index + 1]?.content ?? ''));
    if (token.children !== null) token.children = withServedLinks(token.children);
  }
});

/** Markdown as HTML, with ids for headings. HTML in the text is shown as source. */
export const renderMarkdown = (text: string): string => markdown.render(text).trimEnd();

/** The words of the heading in lower case, with hyphens between: links to headings are written so. */
const headingId = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replaceAll(/\s+/g, '-');

function withServedLinks(tokens: readonly Token[]): Token[] {
  let isServed = true;
  return tokens.filter((token) => {
    const guide = /^(producers|connectors|operators)\.md(#.*)?$/.exec(String(token.attrGet('href') ?? ''));
    if (guide !== null) token.attrSet('href', `/docs/guides/${guide[1]}${guide[2] ?? ''}`);
    if (token.type === 'link_open') isServed = SERVED_LINK.test(String(token.attrGet('href') ?? ''));
    return isServed || (token.type !== 'link_open' && token.type !== 'link_close');
  });
}

/** Cells say what they head. In a table with a blank head, the first cell heads each row. */
function withTableHeads(tokens: readonly Token[]): Token[] {
  let hasHead = true;
  let isFirst = false;
  let isInHead = false;
  return tokens.filter((token, index) => {
    const { type } = token;
    if (type === 'thead_open') {
      const end = tokens.findIndex((other, at) => at > index && other.type === 'thead_close');
      hasHead = tokens.slice(index, end).some(({ content }) => content !== '');
      isInHead = true;
    }
    const isKept = hasHead || !isInHead;
    if (type === 'thead_close') isInHead = false;
    if (type === 'tr_open') isFirst = true;
    if (!hasHead && isFirst && /^td_/.test(type)) token.tag = 'th';
    // Alignment would be an inline style, which the content security policy of the pages forbids.
    if (/^t[hd]_open$/.test(type))
      token.attrs = token.tag === 'th' ? [['scope', type === 'th_open' ? 'col' : 'row']] : null;
    if (type === 'td_close') isFirst = false;
    return isKept;
  });
}
