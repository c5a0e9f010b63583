import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { renderSettings } from './settings.ts';

it('lists every setting as its schema declares it; `npm run settings` writes the page', () => {
  expect(readFileSync(new URL('./settings.md', import.meta.url), 'utf8')).toBe(renderSettings());
});
