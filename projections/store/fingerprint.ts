import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hosts } from '../hosts.ts';
import { projections } from '../index.ts';
import type { Projection } from '../projection.ts';

const PROJECTIONS = fileURLToPath(new URL('..', import.meta.url));
/** Shapes every document without being imported by any projection; the list of all sources that it imports shapes none. */
const READER = join(PROJECTIONS, 'read-rows.ts');
const HOSTS = join(PROJECTIONS, 'hosts.ts');

/** The relative modules that a module loads: by import and export statements and by import(), not those of types alone. */
const IMPORTS =
  /^(?:import|export)\s+(?!type\b)[^'";]*?\bfrom\s*['"](\.[^'"]+)['"]|^import\s*['"](\.[^'"]+)['"]|\bimport\(\s*['"](\.[^'"]+)['"]\s*\)/gm;

const known = new Map<string, string>();

/**
 * Identifies the code and configuration that a projection's documents are made by. Where it differs from a version's,
 * the same rows may give other documents: that version is left to its own code, and a new one has to be built. Taken
 * once a process, so that files replaced under it do not count as what it runs.
 */
export const projectionFingerprint = ({ name }: Pick<Projection, 'name'>): string =>
  codeFingerprint(`${name}/project.ts`);

/**
 * Identifies a module and all that it loads; taken once a process.
 *
 * @param module path from the root of the projections
 */
export function codeFingerprint(module: string): string {
  let fingerprint = known.get(module);
  if (fingerprint === undefined) {
    fingerprint = fingerprintOf(join(PROJECTIONS, module));
    known.set(module, fingerprint);
  }
  return fingerprint;
}

/** Those of all projections of this code. */
export const ownFingerprints = (): string[] => projections.map(projectionFingerprint);

function fingerprintOf(entry: string): string {
  const hash = createHash('sha256');
  const graph = moduleGraph(entry);
  for (const file of [...graph, READER]) {
    hash.update(`${relative(PROJECTIONS, file)}\n`).update(readFileSync(file));
  }
  if (graph.includes(HOSTS)) hash.update(JSON.stringify(hosts));
  return hash.digest('hex').slice(0, 16);
}

/**
 * A module and all that it loads by relative paths, directly or not, sorted.
 *
 * @throws where a module that is imported is not there
 */
export function moduleGraph(entry: string): string[] {
  const found = new Set<string>();
  const waiting = [resolve(entry)];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    for (const path of importsOf(readFileSync(file, 'utf8'))) {
      const imported = join(dirname(file), path);
      if (!existsSync(imported)) throw new Error(`${file} imports ${path}, which is not there`);
      waiting.push(imported);
    }
  }
  return [...found].sort();
}

const importsOf = (code: string): string[] =>
  [...code.matchAll(IMPORTS)].map(([, from, alone, dynamic]) => from ?? alone ?? dynamic ?? '');
