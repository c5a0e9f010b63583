import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { projections } from '../index.ts';
import { moduleGraph, ownFingerprints, projectionFingerprint } from './fingerprint.ts';

const folder = mkdtempSync(join(tmpdir(), 'linernotes-graph-'));
afterAll(() => rmSync(folder, { recursive: true }));

function graphOf(files: Readonly<Record<string, string>>): string[] {
  for (const [name, code] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), code);
  }
  return moduleGraph(join(folder, 'a.ts')).map((file) => relative(folder, file));
}

it('follows every way of loading a module, and each module once', () => {
  const files = graphOf({
    'a.ts': [
      `import { createHash } from 'node:crypto';`,
      `import { one, type Two } from './b/b.ts';`,
      `import {\n  several,\n  lines,\n} from './c.ts';`,
      `import './effect.ts';`,
      `export { more } from './more.ts';`,
      `export * from "./all.ts";`,
      `const text = "import { x } from './not.ts'";`,
      `export const later = () => import('./later.ts');`,
    ].join('\n'),
    'b/b.ts': `import { c } from '../c.ts';\nimport { a } from '../a.ts';\n`,
    'c.ts': '',
    'effect.ts': '',
    'more.ts': '',
    'all.ts': '',
    'later.ts': '',
  });
  expect(files).toEqual(['a.ts', 'all.ts', 'b/b.ts', 'c.ts', 'effect.ts', 'later.ts', 'more.ts']);
});

it('does not follow types, which nothing runs', () => {
  const code = `import type { T } from './types.ts';\nexport type { U } from './types.ts';\n// import { x } from './not.ts';\n`;
  expect(graphOf({ 'a.ts': code })).toEqual(['a.ts']);
});

it('refuses a graph with a hole', () => {
  expect(() => graphOf({ 'a.ts': `import { x } from './gone.ts';` })).toThrow(
    './gone.ts, which is not there',
  );
});

const PROJECTIONS = fileURLToPath(new URL('..', import.meta.url));
const graph = (name: string): string[] =>
  moduleGraph(join(PROJECTIONS, name, 'project.ts')).map((file) => relative(PROJECTIONS, file));

it('tells the code of one projection from that of another', () => {
  const artist = graph('artist');
  expect(artist).toContain('artist/facets/emergence.ts');
  expect(artist).toContain('sources/seen/artist-momentum.ts');
  expect(artist).toContain('frame/frame.ts');
  expect(artist.filter((file) => file.startsWith('label/') || file.endsWith('.test.ts'))).toEqual([]);
  expect(graph('label').filter((file) => file.startsWith('artist/'))).toEqual([]);
});

it('gives every projection a fingerprint of its own, and the same again', () => {
  const all = ownFingerprints();
  expect(new Set(all).size).toBe(projections.length);
  expect(projections.map(projectionFingerprint)).toEqual(all);
  for (const fingerprint of all) expect(fingerprint).toMatch(/^[0-9a-f]{16}$/);
});
