import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hosts } from '../hosts.ts';

const HERE = fileURLToPath(new URL('..', import.meta.url));

/**
 * Identifies the code and configuration that documents are made by. Where it differs from a version's, the same rows
 * may give other documents, and the version has to be built anew.
 */
export function projectionFingerprint(): string {
  const hash = createHash('sha256').update(JSON.stringify(hosts));
  const files = readdirSync(HERE, { recursive: true, encoding: 'utf8' }).sort();
  for (const file of files) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
    hash.update(`${file}\n`).update(readFileSync(join(HERE, file)));
  }
  return hash.digest('hex').slice(0, 16);
}
