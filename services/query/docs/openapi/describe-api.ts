import type { Example } from '../examples.ts';
import { components, errorCodes } from './components.ts';
import { describeOperation } from './describe-operation.ts';
import type { ApiDocument, JsonSchema, OperationObject } from './document.ts';
import type { Operation } from './operation-list.ts';

/** In the order of the reference page. */
const TAGS: Readonly<Record<string, string>> = {
  index: 'Where to begin.',
  identity: 'From a name, a link or a foreign id to the canonical identity.',
  artist: 'Artists, and what is filed under them.',
  label: 'Labels.',
  festival: 'Festivals.',
  dossier: 'What dossiers hold.',
  search: 'Release groups by words and facets, and what became of searches.',
  tracks: 'Tracks by title, and how long they are.',
  discovery: 'Where signals converge.',
  surface: 'Rows of single sources, and what they mean.',
  preview: 'Without a key.',
  account: 'What a key may do.',
  operation: 'How the service is.',
};

const DESCRIPTION = [
  'The signals that many independent producers hold about an artist, a label, a festival or a release, joined into one dossier.',
  'An answer without data is an answer: status 200 with identity null, present false or state honest_gap. Only 4xx and 5xx are errors, and error is the code to branch on.',
  'HEAD is answered wherever GET is, OPTIONS everywhere. Errors are application/problem+json (RFC 9457) for who prefers it in Accept.',
].join('\n\n');

/**
 * The document of all operations. The same operations, examples and version give the same document.
 *
 * @throws Error where operations have no name of their own, or no summary
 */
export function describeApi(
  operations: readonly Operation[],
  examples: ReadonlyMap<string, Example>,
  version: string,
): ApiDocument {
  const nameless = operations.find(({ operationId, summary }) => operationId === '' || summary === '');
  if (nameless !== undefined) throw new Error(`${nameless.path} has no operationId or no summary`);
  const names = new Set(operations.map(({ operationId }) => operationId));
  if (names.size < operations.length) throw new Error('two operations have the same operationId');
  const schemas: Record<string, JsonSchema> = { ...components.schemas };
  const paths: Record<string, Record<string, OperationObject>> = {};
  for (const operation of operations) {
    const methods = paths[operation.path] ?? {};
    methods[operation.method] = describeOperation(operation, examples.get(operation.operationId), schemas);
    paths[operation.path] = methods;
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Linernotes', version, description: DESCRIPTION },
    servers: [{ url: '/' }],
    security: [{ ApiKey: [] }],
    tags: tagsOf(operations),
    paths,
    components: { ...components, schemas },
    'x-error-codes': errorCodes,
  };
}

function tagsOf(operations: readonly Operation[]): { name: string; description: string }[] {
  const used = new Set(operations.flatMap(({ tags }) => tags));
  for (const tag of used) if (TAGS[tag] === undefined) throw new Error(`the tag ${tag} is not described`);
  return Object.entries(TAGS)
    .filter(([name]) => used.has(name))
    .map(([name, description]) => ({ name, description }));
}
