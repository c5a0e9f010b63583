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
import { boundCatalogLabels, boundLabelCluster, type LabelRows, labelName, labelRows } from './lanes.ts';

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
  const own = labelRows(key, rows);
  const touches = own.catalogLabelId === null ? boundCatalogLabels(rows, key) : [];
  if (!isKnown(own)) return { key, document: null, touches };
  return { key, document: dossierDocument(buildLabel(key, own), addressesOf(own), registry), touches };
}

/** A catalogue label is known by its catalogue row, a cluster by any row about it that may be told of. */
const isKnown = (rows: LabelRows): boolean =>
  rows.catalogLabelId === null
    ? reads.some(({ source }) => rows.changedAt(source) !== null)
    : rows.one(catalogLabel) !== null;

/** A slug belongs to the catalogue label first, then to a cluster. */
function addressesOf(rows: LabelRows): Address[] {
  const slug = slugOf(rows);
  if (slug === null || labelName(rows) === null) return [];
  return [{ address: slug, rank: rows.catalogLabelId === null ? 1 : 0, support: 0 }];
}
