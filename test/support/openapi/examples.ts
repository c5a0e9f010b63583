import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A request, and the body of its response with status 200. */
export interface Example {
  readonly request: { readonly path: string; readonly body?: unknown };
  readonly answer: unknown;
}

export const EXAMPLES_FOLDER = fileURLToPath(new URL('../../data/examples/', import.meta.url));

/** The examples by operationId. */
export function readExamples(): ReadonlyMap<string, Example> {
  const files = readdirSync(EXAMPLES_FOLDER).filter((name) => name.endsWith('.json'));
  return new Map(
    files.map((name) => [
      name.slice(0, -'.json'.length),
      JSON.parse(readFileSync(`${EXAMPLES_FOLDER}${name}`, 'utf8')) as Example,
    ]),
  );
}
