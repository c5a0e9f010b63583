import { escapeHtml } from '../../http/escape-html.ts';
import { assets } from './assets.ts';
import { renderPage } from './page.ts';
import type { PublishedApi, PublishedError } from './read-document.ts';

/** The reference page: a script shows the operations, and each error code has an anchor `error-<code>`. */
export function renderReference(api: PublishedApi): string {
  const errors = Object.entries(api['x-error-codes']);
  return renderPage({
    path: '/docs/api',
    title: 'API reference',
    styles: [assets.swaggerStyle.path],
    scripts: [assets.swaggerScript.path, assets.reference.path],
    main: `${renderIntroduction(api)}
<div class="text"><label for="api-key">API key</label> <input id="api-key" type="password" autocomplete="off" spellcheck="false" placeholder="ln_live_…"> <span class="soft">Sent as X-API-Key by the forms below; not stored.</span></div>
<div id="swagger-ui"></div>
<noscript>${renderOperationList(api)}</noscript>
<div class="text">
<h2 id="errors">Errors</h2>
<p>Branch on <code>error</code>; several codes share a status.</p>
${errors.map(renderError).join('\n')}
</div>`,
  });
}

function renderIntroduction({ info }: PublishedApi): string {
  const paragraphs = info.description.split('\n\n').map((text) => `<p>${escapeHtml(text)}</p>`);
  return `<div class="text">
<h1>API reference</h1>
<p class="soft">Version ${escapeHtml(info.version)} · <a href="/api/v2/openapi.json">openapi.json</a> · <a href="#errors">Errors</a></p>
${paragraphs.join('\n')}
</div>`;
}

const renderError = ([code, { status, message, hint }]: [string, PublishedError]): string =>
  `<section aria-labelledby="error-${code}"><h3 id="error-${code}"><code>${code}</code> · ${status}</h3><p>${escapeHtml(message)}</p><p>${escapeHtml(hint)}</p></section>`;

/** For readers who block scripts. */
function renderOperationList({ paths }: PublishedApi): string {
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { summary }]) =>
        `<tr><th scope="row"><code>${method.toUpperCase()} ${escapeHtml(path)}</code></th><td>${escapeHtml(summary)}</td></tr>`,
    ),
  );
  return `<div class="text"><h2>Operations</h2><p>Without scripts this page cannot show parameters and responses; openapi.json has them.</p><table><tbody>${rows.join('')}</tbody></table></div>`;
}
