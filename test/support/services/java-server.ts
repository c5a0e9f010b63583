import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { onSuddenEnd } from '../../../infra/embedded/processes.ts';
import { pollUntil } from '../poll.ts';
import { requirePrograms } from './programs.ts';

const run = promisify(execFile);
const STARTUP_MS = 180_000;

const LOGGING = `log4j.rootLogger=WARN, out
log4j.appender.out=org.apache.log4j.ConsoleAppender
log4j.appender.out.layout=org.apache.log4j.PatternLayout
log4j.appender.out.layout.ConversionPattern=%d %p %c: %m%n
`;

/** The lines of a properties file. */
export type JavaSettings = Readonly<Record<string, string | number | boolean>>;

/** A server in Java with a folder of its own, which can be killed and started again. */
export interface JavaServer {
  /** For its settings, data and log; `remove` throws it away. */
  readonly folder: string;
  /** Writes its settings. @returns their file */
  writeSettings(settings: JavaSettings): Promise<string>;
  /** Runs another main class of the same jars to its end. */
  runOnce(main: string, ...args: string[]): Promise<void>;
  /** Resolves once it is ready. @throws Error with the end of its log */
  start(main: string, ...args: string[]): Promise<void>;
  /** Ends it with SIGKILL: what it has on disk is kept, or thrown away anyway. */
  kill(): Promise<void>;
  /** Of its process; null if it does not run. */
  pid(): number | null;
  /** The end of its log. */
  log(): Promise<string>;
  remove(): Promise<void>;
}

interface JavaServerOptions {
  readonly name: string;
  readonly jars: string;
  readonly isReady: () => Promise<boolean>;
  /** Levels of loggers that log more or less than warnings. */
  readonly levels?: Readonly<Record<string, string>>;
  /** System properties. */
  readonly properties?: JavaSettings;
  /** Options of the virtual machine. Default: `SMALL_MACHINE`. */
  readonly machine?: readonly string[];
}

/** Starts quickly and takes little memory. */
const SMALL_MACHINE = ['-Xmx512m', '-XX:TieredStopAtLevel=1'];

export async function javaServer({
  name,
  jars,
  isReady,
  levels = {},
  properties = {},
  machine = SMALL_MACHINE,
}: JavaServerOptions): Promise<JavaServer> {
  await requirePrograms({ java: 'openjdk-17-jre-headless' }, `Running ${name} for the tests`);
  const folder = await mkdtemp(path.join(tmpdir(), 'linernotes-java-'));
  const logFile = path.join(folder, 'server.log');
  const levelLines = Object.entries(levels).map(([logger, level]) => `log4j.logger.${logger}=${level}\n`);
  await writeFile(path.join(folder, 'log4j.properties'), LOGGING + levelLines.join(''));
  const logging = `-Dlog4j.configuration=file:${path.join(folder, 'log4j.properties')}`;
  const given = Object.entries(properties).map(([property, value]) => `-D${property}=${value}`);
  const java = [...machine, logging, ...given, '-cp', path.join(jars, '*')];
  let child: ChildProcess | null = null;
  const forget = onSuddenEnd(() => child?.kill('SIGKILL'));
  const hasEnded = () => child === null || child.exitCode !== null || child.signalCode !== null;

  const server: JavaServer = {
    folder,
    async writeSettings(settings) {
      const file = path.join(folder, 'server.properties');
      const lines = Object.entries(settings).map(([setting, value]) => `${setting}=${value}\n`);
      await writeFile(file, lines.join(''));
      return file;
    },
    async runOnce(main, ...args) {
      await run('java', [...java, main, ...args]);
    },
    async start(main, ...args) {
      const log = openSync(logFile, 'a');
      child = spawn('java', [...java, main, ...args], { cwd: folder, stdio: ['ignore', log, log] });
      closeSync(log);
      const isUp = () => {
        if (hasEnded()) throw new Error(`${name} ended`);
        return isReady();
      };
      const options = { what: `${name} responds`, timeoutMs: STARTUP_MS, intervalMs: 100 };
      await pollUntil(isUp, options).catch(async ({ message }: Error) => {
        throw new Error(`${message}; the end of its log:\n${await server.log()}`);
      });
    },
    async kill() {
      if (child === null || hasEnded()) return;
      const { promise: exited, resolve } = Promise.withResolvers<unknown>();
      child.once('exit', resolve);
      child.kill('SIGKILL');
      await exited;
    },
    pid: () => (hasEnded() ? null : (child?.pid ?? null)),
    log: async () => (await readFile(logFile, 'utf8')).slice(-3_000),
    async remove() {
      await server.kill();
      forget();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return server;
}
