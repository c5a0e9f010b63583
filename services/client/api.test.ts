import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readDocument } from '../query/docs/read-document.ts';
import { PAGED_PATHS } from './paging.ts';
import { REPEATABLE_POSTS } from './with-retries.ts';

const textOf = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8');

it('has the types of the published document; `npm run client` makes them anew', () => {
  const digest = createHash('sha256').update(textOf('../query/docs/openapi.json')).digest('hex');
  const [made = ''] = textOf('./api.ts').split('\n', 1);
  expect(made, 'the document changed: npm run client').toMatch(new RegExp(` ${digest}$`));
});

const operations = Object.entries(readDocument().paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

it('pages through every route that has pages', () => {
  const paged = operations
    .filter(({ operation }) =>
      operation.parameters.some((given) => 'name' in given && ['after', 'offset'].includes(given.name)),
    )
    .map(({ path }) => path);
  expect([...PAGED_PATHS].sort()).toEqual(paged.sort());
});

it('knows of every POST whether it may be sent twice', () => {
  const posts = operations.filter(({ method }) => method === 'post').map(({ path }) => path);
  expect([...REPEATABLE_POSTS].sort()).toEqual(posts.sort());
});
