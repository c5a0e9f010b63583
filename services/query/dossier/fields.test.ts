import { expect, it } from 'vitest';
import { fieldNames, parseFields } from './fields.ts';

const namesOf = (fields: string): string[] => [...parseFields(fields, '/a').names];

it('accepts every facet and the provenance', () => {
  expect(namesOf(fieldNames.join())).toEqual(fieldNames);
  expect(fieldNames).toContain('provenance');
  expect(fieldNames).toContain('citedMentions');
});

it('trims names, removes duplicates and keeps the order of the dossier', () => {
  expect(namesOf(' provenance ,identity,\tidentity')).toEqual(['identity', 'provenance']);
});

it('tags a selection by its set of names', () => {
  const tagOf = (fields: string): string => parseFields(fields, '/a').tag;
  expect(tagOf('identity,emergence')).toBe(tagOf('emergence, identity'));
  expect(tagOf('identity')).not.toBe(tagOf('emergence'));
});

it('keeps the valid names in the example of the error', () => {
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

it('corrects misspelt names', () => {
  const parse = (): unknown => parseFields('brokerage,emergance,nope', '/a');
  expect(parse).toThrow(/^fields names "emergance", "nope", which/);
  expect(parse).toThrow(
    expect.objectContaining({
      context: expect.objectContaining({
        hint: expect.stringMatching(/^Did you mean emergence\? Valid names: /),
        next: '/a?fields=emergence,brokerage',
      }),
    }),
  );
});

it('shortens a long name in the error', () => {
  expect(() => parseFields('x'.repeat(5_000), '/a')).toThrow(/^fields names "x{60}…", which/);
});
