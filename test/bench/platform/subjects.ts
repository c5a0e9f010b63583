import type { Cleanup } from '../cleanup.ts';
import { type Program, startProgram } from '../processes/program.ts';
import { QUERY_FLAGS, startQueryProcess } from '../processes/query-service.ts';

/** A service that dossiers are read from. */
export interface Subject extends Program {
  readonly port: number;
}

/** The cost of the platform is the difference between these. */
export interface Subjects {
  /** Without what the others have around their dossiers. */
  readonly bare: Subject;
  /** The service, with limits counted in the process. */
  readonly inProcess: Subject;
  /** The service, with limits counted in Redis. */
  readonly shared: Subject;
  /** The service, with a concurrency limit of twice the load that keeps it busy. */
  readonly bounded: Subject;
}

export interface SubjectOptions {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** Requests that `bounded` lets in. */
  readonly mostAtOnce: number;
  readonly profiles: string | null;
  readonly cleanup: Cleanup;
}

/** Starts each in a process of its own, with the flags of the real command. */
export async function startSubjects({
  databaseUrl,
  redisUrl,
  mostAtOnce,
  profiles,
  cleanup,
}: SubjectOptions): Promise<Subjects> {
  const bare = await startProgram(
    'test/bench/processes/bare-service.ts',
    (message) => message === 'bare service listens',
    {
      name: 'bare',
      flags: QUERY_FLAGS,
      env: { DATABASE_URL: databaseUrl },
      profiles,
      cleanup,
    },
  );
  const metrics = { OPS_PORT: '0' };
  return {
    bare: { ...bare, port: Number(new URL(String(bare.line.url)).port) },
    inProcess: await startQueryProcess(databaseUrl, { name: 'query', env: metrics, profiles, cleanup }),
    shared: await startQueryProcess(databaseUrl, {
      name: 'query-redis',
      env: { ...metrics, REDIS_URL: redisUrl },
      profiles,
      cleanup,
    }),
    bounded: await startQueryProcess(databaseUrl, {
      name: 'query-bounded',
      env: { ...metrics, MAX_CONCURRENT_REQUESTS: String(mostAtOnce) },
      profiles,
      cleanup,
    }),
  };
}
