import { Command } from '@commander-js/extra-typings';
import { CommanderError, InvalidArgumentError } from 'commander';
import type { AddCommand, Print } from './command.ts';
import { addConnectors } from './connectors.ts';
import { addDeadLetters } from './dead-letters.ts';
import { addImports } from './imports.ts';
import { addJobs } from './jobs.ts';
import { addKeys } from './keys.ts';
import { addLoad } from './load.ts';
import { addMigrate } from './migrate.ts';
import { addPositions } from './positions.ts';
import { addRebuild } from './rebuild.ts';
import { addSources } from './sources.ts';
import { addStatus } from './status.ts';
import { addSubject } from './subject.ts';
import { addSurfaces } from './surfaces.ts';
import { addSweeps } from './sweeps.ts';
import { addPromote, addRollback } from './switch-version.ts';
import { addVersions } from './versions.ts';
import { addWait } from './wait.ts';

const commands: readonly AddCommand[] = [
  addStatus,
  addWait,
  addLoad,
  addSources,
  addConnectors,
  addDeadLetters,
  addPositions,
  addSweeps,
  addVersions,
  addRebuild,
  addPromote,
  addRollback,
  addJobs,
  addSurfaces,
  addKeys,
  addImports,
  addSubject,
  addMigrate,
];

/** Commander's sentence about an argument, in words that the usage has too. */
const plain = (text: string): string =>
  text.replace(
    /^error: command-argument value ('.*?') is invalid for argument '(.*?)'\./s,
    'error: <$2> is $1.',
  );

/**
 * Runs one command. Results go to `print`, everything else to `complain`.
 *
 * @returns the exit code: 0, 1 if the command failed, 2 if it was mistyped
 */
export async function dispatch(argv: readonly string[], print: Print, complain: Print): Promise<number> {
  const program = new Command('npm run ops --')
    .description('Commands for operators.')
    .exitOverride()
    .showHelpAfterError()
    .configureOutput({
      writeOut: (text) => print(text.trimEnd()),
      writeErr: (text) => complain(text.trimEnd()),
      outputError: (text, write) => write(plain(text)),
    });
  let running: { helpInformation(): string } = program;
  program.hook('preAction', (_, command) => {
    running = command;
  });
  for (const add of commands) add(program, print);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof InvalidArgumentError)
      complain(`error: ${error.message}\n\n${running.helpInformation()}`);
    else if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    else complain(error instanceof Error ? error.message : String(error));
    return error instanceof InvalidArgumentError ? 2 : 1;
  }
}
