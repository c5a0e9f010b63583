import { readFileSync } from 'node:fs';
import type { FastifyReply } from 'fastify';
import { escapeHtml } from '../../http/escape-html.ts';

export const STYLE_PATH = '/connect/assets/connect.css';
export const STYLE = readFileSync(new URL('../assets/connect.css', import.meta.url), 'utf8');

export interface HtmlPage {
  readonly title: string;
  /** Its content, as HTML. */
  readonly main: string;
  /** Seconds until it reloads. */
  readonly refreshSeconds?: number;
  /** Whether it holds tables rather than a text to read. */
  readonly isWide?: boolean;
  /** Origins that the response to its form may redirect to. */
  readonly forwardsTo?: readonly string[];
}

/** A whole page. It needs nothing but one style sheet of this service, and no script. */
export function renderPage({ title, main, refreshSeconds, isWide = false }: HtmlPage): string {
  const refresh =
    refreshSeconds === undefined ? '' : `<meta http-equiv="refresh" content="${refreshSeconds}">\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
${refresh}<title>${escapeHtml(title)} · Linernotes</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${STYLE_PATH}">
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header><span class="home">Linernotes</span></header>
<main id="content" tabindex="-1"${isWide ? ' class="wide"' : ''}>
${main}
</main>
</body>
</html>
`;
}

/**
 * No framing, no content from other origins, and forms sent only to this service and to its redirect targets, because
 * browsers apply the rule for forms to redirects too.
 */
export const pageHeaders = (forwardsTo: readonly string[] = []): Record<string, string> => ({
  'content-security-policy': [
    "default-src 'none'",
    "style-src 'self'",
    'img-src data:',
    `form-action ${["'self'", ...forwardsTo].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-frame-options': 'DENY',
  // Forms name their origin then; other sites still get nothing.
  'referrer-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'cache-control': 'no-store',
});

/** Sends a page. */
export const sendPage = (reply: FastifyReply, page: HtmlPage, status = 200): FastifyReply =>
  reply
    .code(status)
    .headers(pageHeaders(page.forwardsTo))
    .type('text/html; charset=utf-8')
    .send(renderPage(page));
