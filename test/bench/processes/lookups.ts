import { connect } from '../../../db/connect.ts';
import { byKey, byLookupKey, dossierLookup } from '../../../projections/engine/read-dossiers.ts';
import { artistSlug, clusterIdOf } from '../data/artist.ts';
import { randomOf } from '../data/random.ts';
import { handleJobs } from './handle-jobs.ts';

/** Lookups of stored dossiers without a service around them. */
export interface Lookups {
  readonly url: string;
  readonly by: 'cluster' | 'slug';
  readonly artists: number;
  readonly concurrent: number;
  readonly seconds: number;
}

handleJobs<Lookups, number>(async ({ url, by, artists, concurrent, seconds }) => {
  const pool = connect(url, 'bench lookups', { max: 10 });
  const lookup = dossierLookup(pool, 'artist', (by === 'cluster' ? byKey : byLookupKey)('artist'));
  const random = randomOf(1, 1);
  const keys = Array.from({ length: artists }, (_, index) =>
    by === 'cluster' ? `artist:${clusterIdOf(index)}` : artistSlug(index),
  );
  const start = performance.now();
  let found = 0;
  const look = async (): Promise<void> => {
    while (performance.now() - start < seconds * 1_000) {
      const key = random.pick(keys);
      const stored = await lookup.dossier(key);
      if (stored === null) throw new Error(`no dossier of ${key}`);
      found++;
    }
  };
  await Promise.all(Array.from({ length: concurrent }, look));
  const perSecond = found / ((performance.now() - start) / 1_000);
  await pool.end();
  return perSecond;
});
