/** One command of the operator's command line. */
export interface Command {
  /** What may follow the command's name, one form a line. */
  readonly usage: readonly string[];
  /** Runs it on what follows its name; what it throws by `usageError` is answered with the usage. */
  run(args: readonly string[], print: Print): Promise<void>;
}

/** One of the things that a command does, on what follows its name. */
type Action = (args: string[], print: Print) => void | Promise<void>;

/** Writes one line of a result. */
export type Print = (line: string) => void;

const USAGE = Symbol('usage');

/** An error of whoever typed the command. */
export const usageError = (message: string): Error => Object.assign(new Error(message), { [USAGE]: true });

/** A command whose first word says what it does. */
export const commandOf = (
  name: string,
  usage: readonly string[],
  actions: ReadonlyMap<string, Action>,
): Command => ({
  usage,
  async run([what = '', ...args], print) {
    const action = actions.get(what);
    if (action === undefined) throw usageError(`${name} does not know "${what}"`);
    await action(args, print);
  },
});

/** Whether the usage should be shown: our own errors, and those of `parseArgs` over options. */
export function isUsageError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  if (USAGE in error) return true;
  return String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS');
}
