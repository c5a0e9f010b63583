import { dossierDocument } from '../dossier.ts';
import {
  type Address,
  type Projected,
  type Projection,
  type Read,
  type SourceRegistry,
  splitRef,
  subjectRef,
} from '../projection.ts';
import type { MirrorRows, SubjectRef } from '../rows.ts';
import { catalogLabel } from '../sources/catalog/label.ts';
import { isAbout, type SubjectKind } from '../sources/contract.ts';
import { labelIdentityBridge } from '../sources/seen/label-identity-bridge.ts';
import { buildLabel, slugOf } from './dossier.ts';
import { facets } from './facets/index.ts';
import { boundCatalogLabels, boundLabelCluster, labelName, labelRows } from './lanes.ts';

const KINDS: readonly SubjectKind[] = ['label', 'catalog-label'];

const reads: readonly Read[] = [...new Set(facets.flatMap(({ sources }) => sources))].map((source) => ({
  source,
  by: KINDS.filter((kind) => isAbout(source, kind)),
}));

/**
 * The label dossier, one document a lane: `label:<cluster id>` and `catalog-label:<id>`. A catalogue document holds
 * the rows of the cluster whose bridge names it.
 */
export const labelProjection: Projection = {
  name: 'label',
  reads,
  keys: KINDS,
  async project(keys, readRows, registry) {
    const catalogKeys = keys.filter(isCatalogKey);
    const bridges = await readRows([{ source: labelIdentityBridge, by: ['catalog-label'] }], catalogKeys);
    const clusters = catalogKeys.flatMap((key) => {
      const cluster = boundLabelCluster(bridges, key);
      return cluster === null ? [] : [subjectRef('label', cluster)];
    });
    const rows = await readRows(reads, [...keys, ...clusters]);
    return keys.map((key) => projectLabel(key, rows, registry));
  },
};

const isCatalogKey = (key: SubjectRef): boolean => splitRef(key).kind === 'catalog-label';

function projectLabel(key: SubjectRef, rows: MirrorRows, registry: SourceRegistry): Projected {
  const touches = isCatalogKey(key) ? [] : boundCatalogLabels(rows, key);
  if (!isKnown(key, rows)) return { key, document: null, touches };
  return { key, document: dossierDocument(buildLabel(key, rows), addressesOf(key, rows), registry), touches };
}

/** A catalogue label is known by its catalogue row, a cluster by any row about it that may be told of. */
function isKnown(key: SubjectRef, rows: MirrorRows): boolean {
  const own = labelRows(key, rows);
  return isCatalogKey(key)
    ? own.one(catalogLabel) !== null
    : reads.some(({ source }) => own.changedAt(source) !== null);
}

/** A slug belongs to the catalogue label first, then to a cluster. */
function addressesOf(key: SubjectRef, rows: MirrorRows): Address[] {
  const own = labelRows(key, rows);
  const slug = slugOf(own);
  if (slug === null || labelName(own) === null) return [];
  return [{ address: slug, rank: isCatalogKey(key) ? 0 : 1, support: 0 }];
}
