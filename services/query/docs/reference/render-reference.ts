import { escapeHtml } from '../../../http/escape-html.ts';
import { assets } from '../assets.ts';
import type { ApiDocument } from '../openapi/document.ts';
import { renderPage } from '../page.ts';

/** The reference of an API as a page: its operations by a script, and an anchor `error-<code>` for every code of an error. */
export function renderReference(api: ApiDocument): string {
  const errors = Object.entries(api['x-error-codes']);
  return renderPage({
    path: '/docs/api',
    title: 'API reference',
    styles: [assets.swaggerStyle.path],
    scripts: [assets.swaggerScript.path, assets.reference.path],
    main: `${renderBeginning(api)}
<div id="swagger-ui"></div>
<noscript>${renderOperationList(api)}</noscript>
<div class="text">
<h2 id="errors">Errors</h2>
<p>Branch on <code>error</code>; several codes share a status.</p>
${errors.map(renderError).join('\n')}
</div>`,
  });
}

function renderBeginning({ info }: ApiDocument): string {
  const paragraphs = info.description.split('\n\n').map((text) => `<p>${escapeHtml(text)}</p>`);
  return `<div class="text">
<h1>API reference</h1>
<p class="soft">Version ${escapeHtml(info.version)} · <a href="/api/v2/openapi.json">openapi.json</a> · <a href="#errors">Errors</a></p>
${paragraphs.join('\n')}
</div>`;
}

const renderError = ([code, { status, message, hint }]: [
  string,
  ApiDocument['x-error-codes'][string],
]): string =>
  `<section aria-labelledby="error-${code}"><h3 id="error-${code}"><code>${code}</code> · ${status}</h3><p>${escapeHtml(message)}</p><p>${escapeHtml(hint)}</p></section>`;

/** What there is, for who lets no scripts run. */
function renderOperationList({ paths }: ApiDocument): string {
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { summary }]) =>
        `<tr><th scope="row"><code>${method.toUpperCase()} ${escapeHtml(path)}</code></th><td>${escapeHtml(summary)}</td></tr>`,
    ),
  );
  return `<div class="text"><h2>Operations</h2><p>Without scripts this page cannot show parameters and answers; openapi.json has them.</p><table><tbody>${rows.join('')}</tbody></table></div>`;
}
