import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll } from 'vitest';

export interface TestFolder {
  readonly path: string;
  /** Writes a file, packed where its name ends so, and answers its path. Folders in its name are made. */
  write(name: string, content: string | Buffer | readonly object[], modifiedMs?: number): string;
}

/** Gives the test file, or the `describe` it is called in, a folder of its own, gone at the end. */
export function withFolder(): TestFolder {
  const folder = mkdtempSync(path.join(tmpdir(), 'linernotes-test-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  return {
    path: folder,
    write(name, content, modifiedMs) {
      const file = path.join(folder, name);
      mkdirSync(path.dirname(file), { recursive: true });
      const bytes = isRows(content) ? content.map((row) => `${JSON.stringify(row)}\n`).join('') : content;
      writeFileSync(file, name.endsWith('.gz') && !Buffer.isBuffer(bytes) ? gzipSync(bytes) : bytes);
      if (modifiedMs !== undefined) utimesSync(file, modifiedMs / 1000, modifiedMs / 1000);
      return file;
    },
  };
}

const isRows = (content: string | Buffer | readonly object[]): content is readonly object[] =>
  Array.isArray(content);
