import { expect, it } from 'vitest';
import type { ApiError } from '../../http/errors.ts';
import { rejectUnknown } from './reject-unknown.ts';

/** Requires a limit of at least 1 and a text, and accepts all else. */
const isValid = ({ q, limit }: Record<string, unknown>): boolean => q !== '' && limit !== '0';

function rejection(query: Record<string, unknown>): ApiError['context'] & { code: string } {
  try {
    rejectUnknown(query, isValid);
  } catch (error) {
    const { code, context } = error as ApiError;
    return { code, ...context };
  }
  throw new Error('nothing was rejected');
}

it('accepts declared parameters', () => {
  expect(() => rejectUnknown({ q: 'a', genre: ['b', 'c'], nl: 'true', offset: '' }, isValid)).not.toThrow();
});

it.each([
  [{ q: 'a b', genres: 'Rock' }, 'genres', '/api/v2/search?q=a+b&genre=Rock'],
  [{ q: 'a', 'style[]': ['x', 'y'] }, 'style[]', '/api/v2/search?q=a&style=x&style=y'],
  [{ yearFrom: '1990', q: 'a' }, 'yearFrom', '/api/v2/search?year_from=1990&q=a'],
  [{ q: 'a', artist: 'B' }, 'artist', '/api/v2/search?q=a'],
  [{ q: 'a', genre: 'Rock', GENRE: 'Jazz' }, 'GENRE', '/api/v2/search?q=a&genre=Rock'],
  [{ q: 'ä&=', mood: 'x' }, 'mood', '/api/v2/search?q=%C3%A4%26%3D'],
  [{ mood: 'x' }, 'mood', '/api/v2/facets'],
  [{ q: '', mood: 'x' }, 'mood', '/api/v2/facets'],
  [{ Q: 'a' }, 'Q', '/api/v2/search?q=a'],
  [{ q: 'a', mood: 'x', limit: '0', offset: '0' }, 'mood', '/api/v2/search?q=a&offset=0'],
  [{ q: 'a', limits: '0' }, 'limits', '/api/v2/search?q=a'],
])('rejects %j and suggests a valid request', (query, param, next) => {
  expect(rejection(query)).toMatchObject({ code: 'invalid_facet', param, next });
});

it('suggests only searches that it accepts', () => {
  const { next = '' } = rejection({ q: 'a', genres: 'x', mood: 'y', limits: '5' });
  const query = Object.fromEntries(new URL(next, 'https://api.example').searchParams);
  expect(query).toEqual({ q: 'a', genre: 'x', limit: '5' });
  expect(() => rejectUnknown(query, isValid)).not.toThrow();
});
