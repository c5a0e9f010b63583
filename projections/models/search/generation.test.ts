import { expect, it } from 'vitest';
import { documentTable } from '../../engine/store/version.ts';
import { searchDocuments } from './generation.ts';

it('names the documents of a version as the version does', () => {
  expect(searchDocuments(7)).toBe(documentTable({ projection: 'search', id: 7 }));
});
