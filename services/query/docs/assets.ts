import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ServedText, servedText } from './served-text.ts';

/** A file that pages refer to. Its path changes with its content, so caches may keep it for ever. */
export interface Asset {
  readonly path: string;
  readonly text: ServedText;
}

const DIGEST_LENGTH = 12;

function asset(type: string, file: string): Asset {
  const digest = createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, DIGEST_LENGTH);
  const { name, ext } = path.parse(file);
  const text = servedText({
    type: `${type}; charset=utf-8`,
    headers: { 'x-content-type-options': 'nosniff' },
    cacheControl: 'public, max-age=31536000, immutable',
    load: () => readFileSync(file, 'utf8'),
  });
  return { path: `/docs/assets/${name}-${digest}${ext}`, text };
}

const own = (name: string): string => fileURLToPath(new URL(`./assets/${name}`, import.meta.url));
const require = createRequire(import.meta.url);

/** Every file that pages refer to; pages load nothing from other sites. */
export const assets = {
  icon: asset('image/svg+xml', own('icon.svg')),
  style: asset('text/css', own('docs.css')),
  reference: asset('text/javascript', own('reference.js')),
  swaggerStyle: asset('text/css', require.resolve('swagger-ui-dist/swagger-ui.css')),
  swaggerScript: asset('text/javascript', require.resolve('swagger-ui-dist/swagger-ui-bundle.js')),
} as const satisfies Readonly<Record<string, Asset>>;
