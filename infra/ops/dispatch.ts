import { type Command, isUsageError, type Print } from './command.ts';
import { deadLetters } from './dead-letters.ts';
import { imports } from './imports.ts';
import { jobs } from './jobs.ts';
import { keys } from './keys.ts';
import { load } from './load.ts';
import { migrate } from './migrate.ts';
import { positions } from './positions.ts';
import { rebuild } from './rebuild.ts';
import { sources } from './sources.ts';
import { status } from './status.ts';
import { subject } from './subject.ts';
import { surfaces } from './surfaces.ts';
import { promote, rollback, versions } from './versions.ts';
import { wait } from './wait.ts';

const commands: Readonly<Record<string, Command>> = {
  'dead-letters': deadLetters,
  keys,
  sources,
  load,
  jobs,
  migrate,
  status,
  wait,
  versions,
  rebuild,
  promote,
  rollback,
  positions,
  surfaces,
  imports,
  subject,
};

const usageOf = (shown: readonly Command[]): string =>
  ['Usage:', ...shown.flatMap(({ usage }) => usage.map((form) => `  npm run ops -- ${form}`))].join('\n');

/**
 * Runs one command. Results go to `print`, everything else to `complain`. Answers the exit code: 0, 1 when the
 * command failed, 2 when it was mistyped.
 */
export async function dispatch(argv: readonly string[], print: Print, complain: Print): Promise<number> {
  const [name = '', ...args] = argv;
  if (name === 'help' || name === '--help') {
    print(usageOf(Object.values(commands)));
    return 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    const complaint = name === '' ? '' : `There is no command "${name}".\n`;
    complain(complaint + usageOf(Object.values(commands)));
    return 2;
  }
  if (args.includes('--help')) {
    print(usageOf([command]));
    return 0;
  }
  try {
    await command.run(args, print);
    return 0;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    complain(isUsageError(error) ? `${message}\n${usageOf([command])}` : message);
    return isUsageError(error) ? 2 : 1;
  }
}
