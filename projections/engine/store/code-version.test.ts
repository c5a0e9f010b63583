import { expect, it } from 'vitest';
import { codeVersion } from './code-version.ts';

it('is the declared version if no setting was changed', () => {
  expect(codeVersion({ version: 3 })).toBe('3');
  expect(codeVersion({ version: 3, settings: {} })).toBe('3');
});

it('differs by changed settings, in any order', () => {
  const one = codeVersion({ version: 3, settings: { a: 'x', b: 'y' } });
  expect(one).toMatch(/^3\+[0-9a-f]{8}$/);
  expect(codeVersion({ version: 3, settings: { b: 'y', a: 'x' } })).toBe(one);
  expect(codeVersion({ version: 3, settings: { a: 'x', b: 'z' } })).not.toBe(one);
});
