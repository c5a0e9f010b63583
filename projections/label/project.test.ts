import { describe, expect, it } from 'vitest';
import { aboutLabel, CATALOG_KEY, CLUSTER_KEY, OTHER_LABEL } from '../../test/rows/label.ts';
import type { SourceRows } from '../../test/rows/source-rows.ts';
import { mirrorRows } from '../../test/rows/source-rows.ts';
import { dossierDocument } from '../dossier.ts';
import type { Projected, SourceRegistry } from '../projection.ts';
import type { SubjectRef } from '../rows.ts';
import { catalogLabel } from '../sources/catalog/label.ts';
import { catalogLabelBehavior } from '../sources/catalog/label-behavior.ts';
import { catalogLabelCoOwnership } from '../sources/catalog/label-co-ownership.ts';
import { sources } from '../sources/index.ts';
import { labelDjsetMomentum } from '../sources/seen/label-djset-momentum.ts';
import { labelIdentityBridge } from '../sources/seen/label-identity-bridge.ts';
import { buildLabel } from './dossier.ts';
import { labelRows as rowsOfKey } from './lanes.ts';
import { labelProjection } from './project.ts';

const registry: SourceRegistry = { idOf: (source) => sources.indexOf(source) + 1 };
const known = aboutLabel(catalogLabel, { name: 'Warp', slug: 'WARP' });
const bridge = aboutLabel(labelIdentityBridge, { name: 'Warp Records', slug: 'Warp-Records' });

function project(keys: readonly SubjectRef[], ...given: SourceRows[]): Promise<Projected[]> {
  return labelProjection.project(keys, async () => mirrorRows(...given), registry);
}

async function projectOne(key: SubjectRef, ...given: SourceRows[]): Promise<Projected> {
  const [projected] = await project([key], ...given);
  if (projected === undefined) throw new Error(`${key} was not projected`);
  return projected;
}

it('reads every source by each subject that its rows are about', () => {
  expect(labelProjection.keys).toEqual(['label', 'catalog-label']);
  expect(labelProjection.reads.map(({ source, by }) => [source.table, by])).toEqual([
    ['catalog.label', ['catalog-label']],
    ['seen.label_identity_bridge', ['label', 'catalog-label']],
    ['catalog.label_behavior', ['catalog-label']],
    ['catalog.label_co_ownership', ['label']],
    ['seen.label_djset_momentum', ['label']],
  ]);
});

it('asks twice, however many labels there are, the second time for bound clusters too', async () => {
  const asked: (readonly SubjectRef[])[] = [];
  const unbound = Array.from({ length: 200 }, (_, index): SubjectRef => `catalog-label:${1_000 + index}`);
  const keys: SubjectRef[] = [CATALOG_KEY, `label:${OTHER_LABEL}`, ...unbound];
  const projected = await labelProjection.project(
    keys,
    async (_reads, subjects) => {
      asked.push(subjects);
      return mirrorRows(known, bridge);
    },
    registry,
  );
  expect(asked).toEqual([
    [CATALOG_KEY, ...unbound],
    [...keys, CLUSTER_KEY],
  ]);
  expect(projected.map(({ key }) => key)).toEqual(keys);
});

describe('a document', () => {
  it('is the dossier of its lane', async () => {
    const rows = mirrorRows(known, bridge);
    for (const key of [CATALOG_KEY, CLUSTER_KEY]) {
      const { document } = await projectOne(key, known, bridge);
      const expected = dossierDocument(
        buildLabel(key, rowsOfKey(key, rows)),
        document?.addresses ?? [],
        registry,
      );
      expect(document?.hash).toEqual(expected.hash);
      expect(document?.body()).toEqual(expected.body());
    }
  });

  it('is there of a catalogue label only by its own row', async () => {
    const behavior = aboutLabel(catalogLabelBehavior, {});
    expect((await projectOne(CATALOG_KEY, behavior, bridge)).document).toBeNull();
    expect((await projectOne(CATALOG_KEY, known)).document).not.toBeNull();
  });

  it.each([bridge, aboutLabel(labelDjsetMomentum, {}), aboutLabel(catalogLabelCoOwnership, { support: 5 })])(
    'is there of a cluster by any row about it: $source.table',
    async (row) => {
      expect((await projectOne(CLUSTER_KEY, row)).document).not.toBeNull();
      expect((await projectOne(`label:${'9'.repeat(64)}`, row)).document).toBeNull();
    },
  );

  it('is not there of a cluster that is known only by pairs too few own', async () => {
    const hidden = aboutLabel(catalogLabelCoOwnership, { support: 4 });
    expect((await projectOne(CLUSTER_KEY, hidden)).document).toBeNull();
  });
});

describe('addresses', () => {
  const addressesOf = async (key: SubjectRef, ...given: SourceRows[]): Promise<unknown> =>
    (await projectOne(key, ...given)).document?.addresses;

  it('are the own slug of each lane in lower case, the catalogue first', async () => {
    expect(await addressesOf(CATALOG_KEY, known, bridge)).toEqual([{ address: 'warp', rank: 0, support: 0 }]);
    expect(await addressesOf(CLUSTER_KEY, known, bridge)).toEqual([
      { address: 'warp-records', rank: 1, support: 0 },
    ]);
    expect(await addressesOf(CATALOG_KEY, aboutLabel(catalogLabel, { slug: 'GRÖẞE-東京' }))).toEqual([
      { address: 'größe-東京', rank: 0, support: 0 },
    ]);
  });

  it('are none where nobody names the cluster', async () => {
    expect(await addressesOf(CLUSTER_KEY, aboutLabel(labelDjsetMomentum, {}))).toEqual([]);
  });
});

describe('touches', () => {
  it('go from a cluster to every catalogue label that its bridge names', async () => {
    expect((await projectOne(CLUSTER_KEY, known, bridge)).touches).toEqual([CATALOG_KEY]);
    const unbound = aboutLabel(labelIdentityBridge, { catalog_label_id: null });
    expect((await projectOne(CLUSTER_KEY, unbound)).touches).toEqual([]);
  });

  it('go nowhere from a catalogue label, or from a cluster that nobody speaks of', async () => {
    const nobody: SubjectRef = `label:${OTHER_LABEL}`;
    expect(await projectOne(nobody, known, bridge)).toEqual({ key: nobody, document: null, touches: [] });
    expect((await projectOne(CATALOG_KEY, known, bridge)).touches).toEqual([]);
  });
});
