import { escapeHtml } from '../../http/escape-html.ts';
import { assets } from './assets.ts';

export const PAGES = [
  ['/docs/api', 'Reference'],
  ['/docs/migration/v1-to-v2', 'From v1 to v2'],
  ['/docs/changelog', 'Changelog'],
  ['/docs/guides/producers', 'For producers'],
  ['/docs/guides/connectors', 'Connectors'],
  ['/docs/guides/operators', 'For operators'],
] as const;

export type PagePath = (typeof PAGES)[number][0];

export interface DocsPage {
  readonly path: PagePath;
  readonly title: string;
  /** HTML below the head of the page; text is inside elements of class `text`. */
  readonly main: string;
  /** Paths of style sheets, before the site's own. */
  readonly styles?: readonly string[];
  /** Paths of scripts, in order. The page is readable without them. */
  readonly scripts?: readonly string[];
}

/** A whole page. It loads nothing from other sites. */
export function renderPage({ path, title, main, styles = [], scripts = [] }: DocsPage): string {
  const links = PAGES.map(
    ([to, name]) => `<a href="${to}"${to === path ? ' aria-current="page"' : ''}>${name}</a>`,
  );
  const head = [
    ...[...styles, assets.style.path].map((sheet) => `<link rel="stylesheet" href="${sheet}">`),
    ...scripts.map((script) => `<script src="${script}" defer></script>`),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Linernotes</title>
<link rel="icon" href="${assets.icon.path}" type="image/svg+xml">
${head.join('\n')}
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="site"><a class="home" href="/docs/api">Linernotes</a><nav aria-label="Documents">${links.join('')}</nav></header>
<main id="content" tabindex="-1">
${main}
</main>
</body>
</html>
`;
}

/** Pages load from this service only, and no other site may frame them. Style sheets contain images as data URLs. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};
