import { expect, it } from 'vitest';
import { listOperations } from '../../test/support/openapi/committed-document.ts';
import { PAGED_PATHS } from './paging.ts';
import { REPEATABLE_POSTS } from './with-retries.ts';

it('pages through every route that has pages', () => {
  const paged = listOperations()
    .filter(({ operation }) =>
      operation.parameters.some((given) => 'name' in given && ['after', 'offset'].includes(given.name)),
    )
    .map(({ path }) => path);
  expect([...PAGED_PATHS].sort()).toEqual(paged.sort());
});

it('knows for every POST whether it may be sent twice', () => {
  const posts = listOperations().filter(({ method }) => method === 'post');
  expect([...REPEATABLE_POSTS].sort()).toEqual(posts.map(({ path }) => path).sort());
});
