import { readFileSync } from 'node:fs';
import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { QueryParts } from '../parts.ts';
import { assets } from './assets.ts';
import { PAGE_HEADERS, PAGES, type PagePath, renderPage } from './page.ts';
import { type PublishedApi, readDocument } from './read-document.ts';
import { renderMarkdown } from './render-markdown.ts';
import { renderReference } from './render-reference.ts';
import { type ServedText, servedText } from './served-text.ts';

const textOf = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

const page = (load: () => string): ServedText =>
  servedText({ type: 'text/html; charset=utf-8', headers: PAGE_HEADERS, load });

const markdownPage = (path: PagePath, title: string, file: string): ServedText =>
  page(() => renderPage({ path, title, main: `<div class="text">${renderMarkdown(textOf(file))}</div>` }));

const documents: Readonly<Record<string, ServedText>> = {
  '/docs/api': page(() => renderReference(readDocument())),
  '/docs/migration/v1-to-v2': markdownPage(
    '/docs/migration/v1-to-v2',
    'From v1 to v2',
    '../docs/migration-v1-to-v2.md',
  ),
  '/docs/changelog': markdownPage('/docs/changelog', 'Changelog', '../docs/changelog.md'),
  '/docs/guides/producers': markdownPage(
    '/docs/guides/producers',
    'For producer teams',
    '../../../infra/guides/producers.md',
  ),
  '/docs/guides/connectors': markdownPage(
    '/docs/guides/connectors',
    'Connectors',
    '../../../infra/guides/connectors.md',
  ),
  '/docs/guides/operators': markdownPage(
    '/docs/guides/operators',
    'For data operators',
    '../../../infra/guides/operators.md',
  ),
  '/llms.txt': servedText({ type: 'text/plain; charset=utf-8', load: () => renderIndexText(readDocument()) }),
  ...Object.fromEntries(Object.values(assets).map(({ path, text }) => [path, text])),
};

/** What there is to read, for language models: see llmstxt.org. */
function renderIndexText({ info, paths }: PublishedApi): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary }]) => `- ${method.toUpperCase()} ${path}: ${summary}`),
  );
  const [about = '', ...rules] = info.description.split('\n\n');
  return `# Linernotes

> ${about}

${rules.join('\n\n')}

Keyed routes need the header X-API-Key. Begin with GET /api/v2/resolve?q=<name>, then GET /api/v2/artist/<cluster_id>.

## Documents

- [OpenAPI document](/api/v2/openapi.json): every operation with its schemas, examples and errors
- [Semantics dictionary](/api/v2/semantics/dictionary): the meaning of the surfaces, as Markdown with Accept: text/markdown
${PAGES.map(([path, name]) => `- [${name}](${path})`).join('\n')}

## Operations

${operations.join('\n')}
`;
}

/** The documentation pages and their assets. */
export const docsRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (app, _options, done) => {
  const config = { isPublic: true, isUnlisted: true, sendsStoredBytes: true };
  for (const [path, text] of Object.entries(documents))
    app.get(path, { config }, (request, reply) => text.send(request, reply));
  for (const path of ['/', '/docs'])
    app.get(path, { config }, (_request, reply) => reply.redirect('/docs/api'));
  app.get('/openapi.json', { config }, (_request, reply) => reply.redirect('/api/v2/openapi.json'));
  done();
};
