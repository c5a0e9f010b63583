import { readFileSync } from 'node:fs';
import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { assets } from '../docs/assets.ts';
import { renderMarkdown } from '../docs/markdown/render-markdown.ts';
import { PAGE_HEADERS, type PagePath, renderPage } from '../docs/page.ts';
import { readDocument } from '../docs/read-document.ts';
import { renderReference } from '../docs/reference/render-reference.ts';
import { type ServedText, servedText } from '../docs/served-text.ts';
import type { QueryParts } from '../parts.ts';

const textOf = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

const page = (make: () => string): ServedText =>
  servedText({ type: 'text/html; charset=utf-8', headers: PAGE_HEADERS, make });

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
  ...Object.fromEntries(Object.values(assets).map(({ path, text }) => [path, text])),
};

/** What people read of the API, and all that these pages need. */
export const docsRoutes: FastifyPluginCallbackTypebox<{ parts: QueryParts }> = (app, _options, done) => {
  const config = { isPublic: true, isUnlisted: true, sendsStoredBytes: true };
  for (const [path, text] of Object.entries(documents))
    app.get(path, { config }, (request, reply) => text.send(request, reply));
  app.get('/docs', { config }, (_request, reply) => reply.redirect('/docs/api'));
  done();
};
