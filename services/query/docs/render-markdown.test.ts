import { expect, it } from 'vitest';
import { renderMarkdown } from './render-markdown.ts';

/** Without line breaks between elements, which show nowhere. */
const compact = (html: string): string => html.replaceAll(/>\n+</g, '><');

it.each([
  ['a paragraph', 'one\ntwo\n\nthree', '<p>one two</p>\n<p>three</p>'],
  ['a heading', '## Days & instants', '<h2 id="days-instants">Days &amp; instants</h2>'],
  ['code in a heading', '### Null in `a_b`', '<h3 id="null-in-ab">Null in <code>a_b</code></h3>'],
  ['a list', '- one\n- two\n  goes on\n\nend', '<ul><li>one</li><li>two goes on</li></ul>\n<p>end</p>'],
  ['a list in order', '1. one\n2. `two`', '<ol><li>one</li><li><code>two</code></li></ol>'],
  ['a list right after words', 'words:\n- one', '<p>words:</p>\n<ul><li>one</li></ul>'],
  [
    'a fence',
    '```json\n{"a": "<b>"}\n\n# no heading\n```\nend',
    '<pre tabindex="0"><code>{&quot;a&quot;: &quot;&lt;b&gt;&quot;}\n\n# no heading</code></pre>\n<p>end</p>',
  ],
  ['a fence without an end', '```\na', '<pre tabindex="0"><code>a</code></pre>'],
  ['emphasis', '**very** *so* 2 * 3 * 4', '<p><strong>very</strong> <em>so</em> 2 * 3 * 4</p>'],
  ['a name in capitals', 'KAFKA_* and SASL_*', '<p>KAFKA_* and SASL_*</p>'],
  [
    'links',
    '[in](#a) [on](/docs/api) [out](https://a.example/?a=1&b=2)',
    '<p><a href="#a">in</a> <a href="/docs/api">on</a> <a href="https://a.example/?a=1&amp;b=2">out</a></p>',
  ],
  ['a link to a guide', '[on](operators.md#epochs)', '<p><a href="/docs/guides/operators#epochs">on</a></p>'],
  [
    'links without a page',
    '[file](life-of-a-change.md#x) [script](javascript:alert(1)) [other](//a.example)',
    '<p>file script other</p>',
  ],
  ['markup', '<script>alert("x")</script>', '<p>&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;</p>'],
  ['markup in a link', '[<b>](#"x")', '<p><a href="#%22x%22">&lt;b&gt;</a></p>'],
])('%s', (_name, markdown, html) => {
  expect(compact(renderMarkdown(markdown))).toBe(compact(html));
});

it('renders tables with a head, or with their first column as the head', () => {
  expect(compact(renderMarkdown('| a | b |\n|---|:-:|\n| `x\\|y` | p\\|q |'))).toBe(
    '<div class="wide" tabindex="0"><table><thead><tr><th scope="col">a</th><th scope="col">b</th></tr></thead>' +
      '<tbody><tr><td><code>x|y</code></td><td>p|q</td></tr></tbody></table></div>',
  );
  expect(compact(renderMarkdown('| | |\n|---|---|\n| a | |'))).toBe(
    '<div class="wide" tabindex="0"><table><tbody><tr><th scope="row">a</th><td></td></tr></tbody></table></div>',
  );
});
