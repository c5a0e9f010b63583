import { escapeHtml } from './markdown/escape-html.ts';

const PAGES = [
  ['/docs/api', 'Reference'],
  ['/docs/migration/v1-to-v2', 'From v1 to v2'],
  ['/docs/changelog', 'Changelog'],
  ['/docs/guides/producers', 'For producers'],
] as const;

/** Where a page stands. */
export type PagePath = (typeof PAGES)[number][0];

export interface Page {
  readonly path: PagePath;
  readonly title: string;
  /** What stands between the head of the page and its end, as HTML. */
  readonly main: string;
  /** Parts of the page to go to, as HTML. */
  readonly aside?: string;
  /** A script of this service that the page goes without where it has to. */
  readonly script?: string;
}

/** A whole page. All it refers to comes from this service. */
export function renderPage({ path, title, main, aside, script }: Page): string {
  const links = PAGES.map(
    ([to, name]) => `<a href="${to}"${to === path ? ' aria-current="page"' : ''}>${name}</a>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Linernotes</title>
<link rel="stylesheet" href="/docs/assets/docs.css">
${script === undefined ? '' : `<script src="${script}" defer></script>\n`}</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header><a class="home" href="/docs/api">Linernotes</a><nav aria-label="Documents">${links.join('')}</nav></header>
<div class="columns">
${aside === undefined ? '' : `<aside><nav aria-label="On this page" tabindex="0">${aside}</nav></aside>\n`}<main id="content" tabindex="-1">
${main}
</main>
</div>
</body>
</html>
`;
}

/** Nothing but what this service serves, and nobody around it. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};
