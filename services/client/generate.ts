import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const DOCUMENT = fileURLToPath(new URL('../query/docs/openapi.json', import.meta.url));
const TYPES = fileURLToPath(new URL('./api.ts', import.meta.url));
const FORMATTER = fileURLToPath(new URL('../../node_modules/@biomejs/biome/bin/biome', import.meta.url));
/** It needs a TypeScript that the rest of the project is ahead of, so it is no dependency. */
const GENERATOR = ['--package=openapi-typescript@7.13.0', '--package=typescript@5.9.3'];

/** Writes the types of the API from its document. */
function generate(): void {
  const document = readFileSync(DOCUMENT, 'utf8');
  const folder = mkdtempSync(path.join(tmpdir(), 'linernotes-client-'));
  try {
    const output = path.join(folder, 'api.ts');
    const options = ['--default-non-nullable=false', '--output', output];
    execFileSync('npm', ['exec', '--yes', ...GENERATOR, '--', 'openapi-typescript', DOCUMENT, ...options], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    writeFileSync(TYPES, [headOf(document), codesOf(document), readFileSync(output, 'utf8')].join('\n'));
    execFileSync(process.execPath, [FORMATTER, 'format', '--write', TYPES], { stdio: 'inherit' });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function headOf(document: string): string {
  const digest = createHash('sha256').update(document).digest('hex');
  return `// sha256 of services/query/docs/openapi.json, which \`npm run client\` makes this file from: ${digest}\n`;
}

/** The codes are an extension of the document, which the generator passes over. */
function codesOf(document: string): string {
  const { 'x-error-codes': codes }: { 'x-error-codes': Readonly<Record<string, unknown>> } =
    JSON.parse(document);
  const names = Object.keys(codes).map((code) => `  | '${code}'`);
  return `/** Every code that \`error\` had when this file was made. */\nexport type ErrorCode =\n${names.join('\n')};\n`;
}

generate();
