import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(new URL('./golden.json', import.meta.url));
const TEST = 'npm test -- --project unit test/golden';
const UPDATE = `UPDATE_GOLDEN=1 ${TEST}`;

/** A read model as it was, or is: the version it declares and a hash of all that it makes of the corpus. */
export interface ModelOutput {
  readonly version: number;
  readonly hash: string;
}

export interface Golden {
  /** Hash of the rows that all is made of. */
  readonly corpus: string;
  readonly models: Readonly<Record<string, ModelOutput>>;
}

export const readGolden = (): Golden => JSON.parse(readFileSync(FILE, 'utf8'));

/** Sorted, so that branches which raise the versions of two read models do not meet on a line. */
export function writeGolden({ corpus, models }: Golden): void {
  const names = Object.keys(models).sort();
  const lines = names.map((name) => `    ${JSON.stringify(name)}: ${lineOf(models[name])}`);
  writeFileSync(FILE, `{\n  "corpus": "${corpus}",\n  "models": {\n${lines.join(',\n')}\n  }\n}\n`);
}

const lineOf = (model: ModelOutput | undefined): string =>
  `{ "version": ${model?.version}, "hash": "${model?.hash}" }`;

/** What is wrong with a read model, and whether `UPDATE_GOLDEN` puts it right. */
export interface Problem {
  readonly message: string;
  readonly isUpdatable: boolean;
}

/** @param was as committed @param now null for one that is no read model any more */
export function problemOf(
  name: string,
  was: ModelOutput | undefined,
  now: ModelOutput | null,
): Problem | null {
  if (now === null)
    return { message: `\`${name}\` is no read model any more: run ${UPDATE}`, isUpdatable: true };
  if (was === undefined)
    return { message: `no output of \`${name}\` is committed: run ${UPDATE}`, isUpdatable: true };
  if (now.version > was.version)
    return {
      message: `version of \`${name}\` was raised to ${now.version}: run ${UPDATE}`,
      isUpdatable: true,
    };
  if (now.version < was.version)
    return {
      message: `version of \`${name}\` fell from ${was.version} to ${now.version}, and databases hold documents of both`,
      isUpdatable: false,
    };
  if (now.hash === was.hash) return null;
  return {
    message: `output of \`${name}\` changed: raise its version to ${was.version + 1} and run ${UPDATE}`,
    isUpdatable: false,
  };
}

/** Said where the rows changed, and no read model's output. */
export const CORPUS_CHANGED = `the rows of the corpus changed: after a new source, and wherever no output changed, run ${UPDATE}; where changed rows alone changed an output, run UPDATE_GOLDEN=corpus ${TEST}`;
