import { describe, expect, it } from 'vitest';
import { aboutLabel, CATALOG_KEY, CLUSTER_KEY, OTHER_LABEL } from '../../../test/support/rows/label.ts';
import type { SourceRows } from '../../../test/support/rows/source-rows.ts';
import { mirrorRows } from '../../../test/support/rows/source-rows.ts';
import { catalogLabel } from '../../contracts/catalog/label.ts';
import { catalogLabelBehavior } from '../../contracts/catalog/label-behavior.ts';
import { catalogLabelCoOwnership } from '../../contracts/catalog/label-co-ownership.ts';
import { sources } from '../../contracts/index.ts';
import { labelDjsetMomentum } from '../../contracts/seen/label-djset-momentum.ts';
import { labelIdentityBridge } from '../../contracts/seen/label-identity-bridge.ts';
import { dossierDocument } from '../../engine/dossier.ts';
import type { ProjectedDocument, SourceRegistry } from '../../engine/projection.ts';
import type { SubjectRef } from '../../engine/rows.ts';
import { buildLabel } from './dossier.ts';
import { labelRows as rowsOfKey } from './lanes.ts';
import { labelProjection } from './project.ts';

const registry: SourceRegistry = { idOf: (source) => sources.indexOf(source) + 1 };
const known = aboutLabel(catalogLabel, { name: 'Warp', slug: 'WARP' });
const bridge = aboutLabel(labelIdentityBridge, { name: 'Warp Records', slug: 'Warp-Records' });

function project(keys: readonly SubjectRef[], ...given: SourceRows[]): Promise<ProjectedDocument[]> {
  return labelProjection.project(keys, async () => mirrorRows(...given), registry);
}

async function projectOne(key: SubjectRef, ...given: SourceRows[]): Promise<ProjectedDocument> {
  const [projected] = await project([key], ...given);
  if (projected === undefined) throw new Error(`${key} was not projected`);
  return projected;
}

it('reads every source by each of its subjects', () => {
  expect(labelProjection.keys).toEqual(['label', 'catalog-label']);
  expect(labelProjection.reads.map(({ source, by }) => [source.table, by])).toEqual([
    ['catalog.label', ['catalog-label']],
    ['seen.label_identity_bridge', ['label', 'catalog-label']],
    ['catalog.label_behavior', ['catalog-label']],
    ['catalog.label_co_ownership', ['label']],
    ['seen.label_djset_momentum', ['label']],
  ]);
});

it('reads twice for any number of labels, the second time for bound clusters', async () => {
  const reads: (readonly SubjectRef[])[] = [];
  const unbound = Array.from({ length: 200 }, (_, index): SubjectRef => `catalog-label:${1_000 + index}`);
  const keys: SubjectRef[] = [CATALOG_KEY, `label:${OTHER_LABEL}`, ...unbound];
  const projected = await labelProjection.project(
    keys,
    async (_reads, subjects) => {
      reads.push(subjects);
      return mirrorRows(known, bridge);
    },
    registry,
  );
  expect(reads).toEqual([
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
        document?.lookupKeys ?? [],
        registry,
      );
      expect(document?.hash).toEqual(expected.hash);
      expect(document?.body()).toEqual(expected.body());
    }
  });

  it('exists for a catalogue label only with its own row', async () => {
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

  it('does not exist for a cluster that only appears in withheld pairs', async () => {
    const hidden = aboutLabel(catalogLabelCoOwnership, { support: 4 });
    expect((await projectOne(CLUSTER_KEY, hidden)).document).toBeNull();
  });
});

describe('lookup keys', () => {
  const addressesOf = async (key: SubjectRef, ...given: SourceRows[]): Promise<unknown> =>
    (await projectOne(key, ...given)).document?.lookupKeys;

  it('are the slugs of both lanes in lower case, the catalogue first', async () => {
    expect(await addressesOf(CATALOG_KEY, known, bridge)).toEqual([{ value: 'warp', rank: 0, support: 0 }]);
    expect(await addressesOf(CLUSTER_KEY, known, bridge)).toEqual([
      { value: 'warp-records', rank: 1, support: 0 },
    ]);
    expect(await addressesOf(CATALOG_KEY, aboutLabel(catalogLabel, { slug: 'GRÖẞE-東京' }))).toEqual([
      { value: 'größe-東京', rank: 0, support: 0 },
    ]);
  });

  it('are empty if no source names the cluster', async () => {
    expect(await addressesOf(CLUSTER_KEY, aboutLabel(labelDjsetMomentum, {}))).toEqual([]);
  });
});

describe('dependents', () => {
  it('go from a cluster to every catalogue label that its bridge names', async () => {
    expect((await projectOne(CLUSTER_KEY, known, bridge)).dependents).toEqual([CATALOG_KEY]);
    const unbound = aboutLabel(labelIdentityBridge, { catalog_label_id: null });
    expect((await projectOne(CLUSTER_KEY, unbound)).dependents).toEqual([]);
  });

  it('are empty for a catalogue label and for an unknown cluster', async () => {
    const unknown: SubjectRef = `label:${OTHER_LABEL}`;
    expect(await projectOne(unknown, known, bridge)).toEqual({
      key: unknown,
      document: null,
      dependents: [],
    });
    expect((await projectOne(CATALOG_KEY, known, bridge)).dependents).toEqual([]);
  });
});
