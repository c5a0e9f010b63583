import { expect, it } from 'vitest';
import { identityProjection } from '../../../projections/models/identity/project.ts';
import { previewProjection } from '../../../projections/models/preview/project.ts';
import { loadSample } from '../../../test/support/ingest/load-sample.ts';
import { rebuild } from '../../../test/support/projections/rebuild.ts';
import { withDiscovery } from '../../../test/support/query/discovery.ts';
import { PreviewBody } from './route.ts';

const { get, ask } = withDiscovery(async (pool, registry) => {
  const sources = new Set(
    [...previewProjection.reads, ...identityProjection.reads].map(({ source }) => source),
  );
  await loadSample(pool, registry, [...sources]);
  for (const projection of [identityProjection, previewProjection]) await rebuild(pool, projection, registry);
});

const HOMONYMS = ['function', 'hole', 'oasis'];
const SHARED = ['trinity', 'wings'];

it('previews by slug the artist of the dossier, even if others have the name', async () => {
  for (const slug of [...HOMONYMS, ...SHARED]) {
    const dossier = (await ask(`/api/v2/artist/${slug}`)).json();
    expect(dossier.cluster_id, slug).toMatch(/^[0-9a-f]{64}$/);
    expect(await get(`/api/v2/preview/artist?q=${slug}`, PreviewBody)).toMatchObject({
      present: true,
      display: dossier.display,
      cluster_id: dossier.cluster_id,
      resolved_via: dossier.resolved_via,
    });
  }
});
