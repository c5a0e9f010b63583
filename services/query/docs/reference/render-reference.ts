import { escapeHtml } from '../markdown/escape-html.ts';
import type { ApiDocument } from '../openapi/document.ts';
import { renderPage } from '../page.ts';
import { type PlacedOperation, renderOperation } from './render-operation.ts';
import { renderSchema } from './render-schema.ts';

/** The reference of an API as a page, with an anchor `error-<code>` for every code of an error. */
export function renderReference(api: ApiDocument): string {
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): PlacedOperation => ({ method, path, operation })),
  );
  const groups = api.tags.map((tag) => ({
    ...tag,
    operations: operations.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  const errors = Object.entries(api['x-error-codes']);
  return renderPage({
    path: '/docs/api',
    title: 'API reference',
    script: '/docs/assets/try-it.js',
    aside: [
      ...groups.map(({ name, operations: within }) => contents(name, within)),
      '<p><a href="#errors">errors</a></p>',
    ].join(''),
    main: [
      renderBeginning(api),
      ...groups.map(
        ({ name, description, operations: within }) =>
          `<h2 id="tag-${name}">${capital(name)}</h2><p>${escapeHtml(description)}</p>${within.map((placed) => renderOperation(api, placed)).join('\n')}`,
      ),
      renderErrorForms(api),
      ...errors.map(
        ([code, { status, message, hint }]) =>
          `<section aria-labelledby="error-${code}"><h3 id="error-${code}"><code>${code}</code> · ${status}</h3><p>${escapeHtml(message)}</p><p>${escapeHtml(hint)}</p></section>`,
      ),
    ].join('\n'),
  });
}

function renderErrorForms({ components: { schemas } }: ApiDocument): string {
  const { Error: usual = {}, BeaconError: ofBeacons = {} } = schemas;
  return `<h2 id="errors">Errors</h2>
<p>Branch on <code>error</code>; several codes share a status.</p>
${renderSchema(usual)}
<p>To beacons, errors say this:</p>
${renderSchema(ofBeacons)}`;
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

const contents = (tag: string, operations: readonly PlacedOperation[]): string =>
  `<p><a href="#tag-${tag}">${tag}</a></p><ul>${operations
    .map(
      ({ method, path, operation }) =>
        `<li><a href="#operation-${operation.operationId}">${method === 'get' ? '' : `${method.toUpperCase()} `}${escapeHtml(path.replace('/api/v2', '') || '/')}</a></li>`,
    )
    .join('')}</ul>`;

function renderBeginning({ info }: ApiDocument): string {
  const paragraphs = info.description.split('\n\n').map((text) => `<p>${escapeHtml(text)}</p>`);
  return `<h1>API reference</h1>
<p class="soft">Version ${escapeHtml(info.version)} · <a href="/api/v2/openapi.json">openapi.json</a></p>
${paragraphs.join('\n')}
<form hidden data-needs-script><label>API key, for the requests of this page<input id="api-key" type="password" autocomplete="off" placeholder="ln_live_…"></label></form>`;
}
