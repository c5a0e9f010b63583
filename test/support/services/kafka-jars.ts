import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { requirePrograms } from './programs.ts';

/** The newest line whose brokers still speak the protocol versions of kafkajs 2. */
export const KAFKA_VERSION = '3.9.1';

const run = promisify(execFile);

// Kafka logs through slf4j and brings no backend along.
const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>linernotes</groupId>
  <artifactId>kafka</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${KAFKA_VERSION}</version></dependency>
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-reload4j</artifactId><version>1.7.36</version></dependency>
  </dependencies>
</project>
`;

async function fetchInto(folder: string): Promise<void> {
  const pom = path.join(folder, 'pom.xml');
  await writeFile(pom, POM);
  const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
  const jars = path.join(folder, 'jars');
  try {
    await run('mvn', ['-B', '-q', '-f', pom, goal, '-DincludeScope=runtime', `-DoutputDirectory=${jars}`]);
  } catch (cause) {
    throw new Error(`Apache Kafka ${KAFKA_VERSION} could not be fetched with Maven`, { cause });
  }
  await writeFile(path.join(folder, 'complete'), '');
}

/**
 * The folder with Apache Kafka's jars, fetched with Maven on first use and kept in the user's cache. A fetch
 * builds the folder elsewhere and moves it into place, so concurrent runs do not conflict.
 */
export async function kafkaJars(): Promise<string> {
  const cache = path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'linernotes');
  const home = path.join(cache, `kafka-${KAFKA_VERSION}`);
  const jars = path.join(home, 'jars');
  if (existsSync(path.join(home, 'complete'))) return jars;
  await requirePrograms({ mvn: 'maven' }, 'Fetching Apache Kafka for the tests');
  await mkdir(cache, { recursive: true });
  const beside = await mkdtemp(`${home}.`);
  try {
    await fetchInto(beside);
    await rename(beside, home).catch((error) => {
      if (!existsSync(path.join(home, 'complete'))) throw error;
    });
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
  return jars;
}
