import { expect, it } from 'vitest';
import { identityProjection } from '../../projections/identity/project.ts';
import { previewProjection } from '../../projections/preview/project.ts';
import { withDiscovery } from '../../test/discovery.ts';
import { loadSample } from '../../test/load-sample.ts';
import { rebuild } from '../../workers/project/build-version.ts';
import { PreviewBody } from './schemas/preview.ts';

const { get, ask } = withDiscovery(async (pool, registry) => {
  const sources = new Set(
    [...previewProjection.reads, ...identityProjection.reads].map(({ source }) => source),
  );
  await loadSample(pool, registry, [...sources]);
  for (const projection of [identityProjection, previewProjection]) await rebuild(pool, projection, registry);
});

const HOMONYMS = ['function', 'hole', 'oasis'];
const SHARED = ['trinity', 'wings'];

it('previews by slug whom the dossier is about, whoever else has the name', async () => {
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
