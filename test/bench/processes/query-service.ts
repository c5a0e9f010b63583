import { type Program, type ProgramOptions, startProgram } from './program.ts';

/** A limit that no benchmark reaches, but that is kept all the same. */
const UNREACHED_LIMIT = 1_000_000_000;

/** Of the command that the documentation names. */
export const QUERY_FLAGS = ['--max-semi-space-size=8', '--no-parallel-scavenge'];

/** The environment of a service that takes no pause of the machine for overload, so that none of a fixed load is turned away. */
export const PATIENT = { MAX_EVENT_LOOP_DELAY_MS: '60000' };

export interface QueryServiceProcess extends Program {
  readonly port: number;
}

/** The query service in a process of its own, with its limit raised. */
export async function startQueryProcess(
  databaseUrl: string,
  options: ProgramOptions,
): Promise<QueryServiceProcess> {
  const service = await startProgram(
    'services/query/main.ts',
    (message) => message === 'query service listens',
    {
      ...options,
      flags: QUERY_FLAGS,
      env: {
        DATABASE_URL: databaseUrl,
        PORT: '0',
        RATE_LIMIT_PER_MINUTE: String(UNREACHED_LIMIT),
        ...options.env,
      },
    },
  );
  return { ...service, port: Number(new URL(String(service.line.url)).port) };
}
