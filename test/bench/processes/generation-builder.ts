import { connect } from '../../../db/connect.ts';
import { keepGeneration } from '../../../workers/jobs/search-generation/keep-generation.ts';
import { handleJobs } from './handle-jobs.ts';

/** Builds a generation of the search index in a process of its own, as a worker of jobs does. */
export interface GenerationJob {
  readonly databaseUrl: string;
}

export interface BuiltIn {
  readonly seconds: number;
  readonly documents: number;
}

handleJobs<GenerationJob, BuiltIn>(async ({ databaseUrl }) => {
  const pool = connect(databaseUrl, 'bench generation', { max: 2 });
  try {
    const start = performance.now();
    const kept = await keepGeneration(pool, { force: true });
    if (kept === null || kept.built === null) throw new Error('no generation was built');
    return { seconds: (performance.now() - start) / 1_000, documents: kept.built.documents };
  } finally {
    await pool.end();
  }
});
