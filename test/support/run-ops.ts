import { dispatch } from '../../infra/ops/dispatch.ts';

/** What a command of the operator's command line came to. */
interface Outcome {
  readonly code: number;
  readonly printed: string[];
  readonly complaints: string[];
}

/** Runs a command of the operator's command line. */
export async function runOps(...argv: string[]): Promise<Outcome> {
  const printed: string[] = [];
  const complaints: string[] = [];
  const code = await dispatch(
    argv,
    (line) => printed.push(line),
    (line) => complaints.push(line),
  );
  return { code, printed, complaints };
}
