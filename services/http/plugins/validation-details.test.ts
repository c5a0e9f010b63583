import { expect, it } from 'vitest';
import { type ValidationFailure, validationDetails } from './validation-details.ts';

const failure = (changed: Partial<ValidationFailure>): ValidationFailure => ({
  keyword: 'type',
  instancePath: '/limit',
  schemaPath: '#',
  params: {},
  message: 'must be integer',
  data: 'x',
  ...changed,
});

it('describes what is wrong with each parameter', () => {
  const failures = [
    failure({}),
    failure({ keyword: 'additionalProperties', instancePath: '', params: { additionalProperty: 'page' } }),
    failure({ keyword: 'required', instancePath: '', params: { missingProperty: 'q' } }),
    failure({ instancePath: '/genre/1', keyword: 'minLength', message: 'must be longer' }),
    failure({ instancePath: '/limit', keyword: 'minimum', message: 'must be >= 1' }),
    failure({
      instancePath: '/year',
      params: { type: ['integer', 'null'] },
      message: 'must be integer,null',
    }),
    failure({ instancePath: '/tracks/2', keyword: 'required', params: { missingProperty: 'title' } }),
    failure({
      instancePath: '/tracks/3',
      keyword: 'additionalProperties',
      params: { additionalProperty: 'isrc' },
    }),
  ];
  expect(validationDetails(failures)).toEqual([
    { path: 'limit', message: 'must be integer' },
    { path: 'limit', message: 'must be >= 1' },
    { path: 'page', message: 'is not a parameter of this route' },
    { path: 'q', message: 'is required' },
    { path: 'genre.1', message: 'must be longer' },
    { path: 'year', message: 'must be integer or null' },
    { path: 'tracks.2.title', message: 'is required' },
    { path: 'tracks.3.isrc', message: 'is not a field that is known here' },
  ]);
});

it('lists the allowed values once', () => {
  const mode = { instancePath: '/mode', message: 'must be equal to constant' };
  const failures = [
    failure({ ...mode, keyword: 'const', params: { allowedValue: 'and' } }),
    failure({ ...mode, keyword: 'const', params: { allowedValue: 'or' } }),
    failure({ ...mode, keyword: 'anyOf', message: 'must match a schema in anyOf' }),
    failure({ instancePath: '/tier', keyword: 'enum', params: { allowedValues: ['rising', null, 3] } }),
    failure({ instancePath: '/kind', keyword: 'const', params: { allowedValue: 'artist' } }),
  ];
  expect(validationDetails(failures)).toEqual([
    { path: 'mode', message: 'must be one of and, or' },
    { path: 'tier', message: 'must be one of rising, null, 3' },
    { path: 'kind', message: 'must be artist' },
  ]);
});

it('reports only the repetition of a repeated parameter', () => {
  const failures = [
    failure({ instancePath: '/tier', data: ['a', 'b'] }),
    failure({ instancePath: '/tier', data: ['a', 'b'], keyword: 'enum', params: { allowedValues: ['a'] } }),
  ];
  expect(validationDetails(failures)).toEqual([{ path: 'tier', message: 'is given more than once' }]);
});

it('treats a list as a repetition only in place of a parameter', () => {
  for (const instancePath of ['', '/tracks/0'])
    expect(validationDetails([failure({ instancePath, data: [], message: 'must be object' })])).toEqual([
      { path: instancePath.slice(1).replace('/', '.'), message: 'must be object' },
    ]);
});
