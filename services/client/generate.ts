import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const DOCUMENT = new URL('../query/docs/openapi.json', import.meta.url);
const TYPES = new URL('./api.ts', import.meta.url);

/** Writes the types of the API from its document, unless the file is already of this document. */
async function generate(): Promise<void> {
  const document = readFileSync(DOCUMENT, 'utf8');
  const head = `// sha256 of openapi.json: ${createHash('sha256').update(document).digest('hex')}\n`;
  if (existsSync(TYPES) && readFileSync(TYPES, 'utf8').startsWith(head)) return;
  // Loaded only when needed: it brings a TypeScript 5 of its own.
  const { default: openapiTypes, astToString } = await import('openapi-typescript');
  const types = astToString(await openapiTypes(DOCUMENT, { defaultNonNullable: false }));
  writeFileSync(TYPES, head + codesOf(document) + types);
}

/** The generator ignores the codes, which are an extension of the document. */
function codesOf(document: string): string {
  const { 'x-error-codes': codes }: { 'x-error-codes': object } = JSON.parse(document);
  const names = Object.keys(codes).map((code) => `  | '${code}'`);
  return `\n/** Every code that \`error\` had when this file was generated. */\nexport type ErrorCode =\n${names.join('\n')};\n\n`;
}

await generate();
