import { expect, it } from 'vitest';
import { fieldNames, parseFields } from './fields.ts';

const namesOf = (fields: string): string[] => [...parseFields(fields, '/a').names];

it('takes every facet and the provenance', () => {
  expect(namesOf(fieldNames.join())).toEqual(fieldNames);
  expect(fieldNames).toContain('provenance');
  expect(fieldNames).toContain('citedMentions');
});

it('takes names once, with blanks around them, in the order of the dossier', () => {
  expect(namesOf(' provenance ,identity,\tidentity')).toEqual(['identity', 'provenance']);
});

it('tags a selection by what it selects', () => {
  const tagOf = (fields: string): string => parseFields(fields, '/a').tag;
  expect(tagOf('identity,emergence')).toBe(tagOf('emergence, identity'));
  expect(tagOf('identity')).not.toBe(tagOf('emergence'));
});

it('shows in its refusal what was right of the request', () => {
  expect(() => parseFields('brokerage,nope,', '/a')).toThrow('"nope", an empty name');
  const context = (() => {
    try {
      return parseFields('brokerage,nope', '/a');
    } catch (error) {
      return (error as { context: unknown }).context;
    }
  })();
  expect(context).toMatchObject({ next: '/a?fields=brokerage' });
});

it('does not repeat a long name at length', () => {
  expect(() => parseFields('x'.repeat(5_000), '/a')).toThrow(/^fields names "x{60}…", which/);
});
