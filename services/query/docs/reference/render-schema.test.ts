import { expect, it } from 'vitest';
import type { JsonSchema } from '../openapi/document.ts';
import { renderSchema, typeText } from './render-schema.ts';

it.each<[JsonSchema, string]>([
  [{ type: 'string' }, 'string'],
  [{ type: 'string', format: 'date-time' }, 'date-time'],
  [{ type: ['integer', 'null'], minimum: 1, maximum: 9, default: 5 }, 'integer or null, 1 to 9, default 5'],
  [{ type: 'string', maxLength: 80 }, 'string, at most 80 characters'],
  [{ type: ['string', 'null'], enum: ['a', null] }, '"a", null'],
  [{ type: 'string', const: 'a' }, 'always "a"'],
  [
    { type: 'array', items: { type: 'string', minLength: 1 }, maxItems: 5 },
    'list of string, 1 or more characters, at most 5 items',
  ],
  [
    { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'number' } }] },
    'string, or list of number',
  ],
  [{ type: 'object', additionalProperties: { type: 'integer' } }, 'object of integer by name'],
  [{}, 'any'],
])('%j', (schema, words) => {
  expect(typeText(schema)).toBe(words);
});

it('has a row for every member, those inside others too, and takes nothing for markup', () => {
  const html = renderSchema({
    type: 'object',
    required: ['list'],
    properties: {
      list: { type: 'array', items: { type: 'object', properties: { n: { type: 'number' } } } },
      text: { type: 'string', description: '<b>' },
    },
  });
  expect(
    [...html.matchAll(/<th scope="row"><code>([^<]+)<\/code>(?: <span class="soft">(\w+))?/g)].map(
      ([, ...found]) => found,
    ),
  ).toEqual([
    ['list', undefined],
    ['list[].n', 'optional'],
    ['text', 'optional'],
  ]);
  expect(html).toContain('<td>&lt;b&gt;</td>');
  expect(renderSchema({ type: 'string' })).toBe('<p>string</p>');
});
