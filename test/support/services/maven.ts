import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { requirePrograms } from './programs.ts';

const run = promisify(execFile);
const PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1';

/** Something that runs from what Maven Central holds. */
export interface MavenProgram {
  /** Name and version, for the folder and for errors. */
  readonly name: string;
  /** `group:artifact:version` of libraries: they and all that they need go to `jars`. */
  readonly libraries: readonly string[];
  /** `group:artifact:version:type:classifier` of archives, which are unpacked to `plugins`. */
  readonly archives?: readonly string[];
}

function dependencyOf(library: string): string {
  const [groupId, artifactId, version] = library.split(':');
  return `<dependency><groupId>${groupId}</groupId><artifactId>${artifactId}</artifactId><version>${version}</version></dependency>`;
}

const pomOf = (libraries: readonly string[]): string =>
  `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>linernotes</groupId>
  <artifactId>fetched</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    ${libraries.map(dependencyOf).join('\n    ')}
  </dependencies>
</project>
`;

async function fetchInto(folder: string, { name, libraries, archives = [] }: MavenProgram): Promise<void> {
  await writeFile(path.join(folder, 'pom.xml'), pomOf(libraries));
  const mvn = (...args: string[]) => run('mvn', ['-B', '-q', ...args], { cwd: folder });
  try {
    const jars = path.join(folder, 'jars');
    await mvn(`${PLUGIN}:copy-dependencies`, '-DincludeScope=runtime', `-DoutputDirectory=${jars}`);
    const plugins = path.join(folder, 'plugins');
    for (const archive of archives)
      await mvn(`${PLUGIN}:unpack`, `-Dartifact=${archive}`, `-DoutputDirectory=${plugins}`);
  } catch (cause) {
    throw new Error(`${name} could not be fetched with Maven`, { cause });
  }
  await writeFile(path.join(folder, 'complete'), '');
}

/**
 * The folder with a program's `jars` and `plugins`, fetched with Maven on first use and kept in the user's cache. A fetch
 * builds the folder elsewhere and moves it into place, so concurrent runs do not conflict.
 */
export async function fromMaven(program: MavenProgram): Promise<string> {
  const cache = path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'linernotes');
  const home = path.join(cache, program.name);
  const isComplete = () => existsSync(path.join(home, 'complete'));
  if (isComplete()) return home;
  await requirePrograms({ mvn: 'maven' }, `Fetching ${program.name} for the tests`);
  await mkdir(cache, { recursive: true });
  const beside = await mkdtemp(`${home}.`);
  try {
    await fetchInto(beside, program);
    await rename(beside, home).catch((error) => {
      if (!isComplete()) throw error;
    });
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
  return home;
}
