import { catalogArtist } from '../../projections/contracts/catalog/artist.ts';
import { catalogLabel } from '../../projections/contracts/catalog/label.ts';
import { catalogMaster } from '../../projections/contracts/catalog/master.ts';
import { type Columns, columnShape, type Encoding, type RowOf } from '../../projections/contracts/columns.ts';
import type { Source, SubjectKind } from '../../projections/contracts/contract.ts';
import { sources } from '../../projections/contracts/index.ts';
import { mbRecording } from '../../projections/contracts/mb/recording.ts';
import { artistIdentityBridge } from '../../projections/contracts/seen/artist-identity-bridge.ts';
import { festival } from '../../projections/contracts/seen/festival.ts';
import { labelIdentityBridge } from '../../projections/contracts/seen/label-identity-bridge.ts';
import { performingEntity } from '../../projections/contracts/seen/performing-entity.ts';
import { storefrontItem } from '../../projections/contracts/storefront/item.ts';
import type { ExpectedRow } from '../support/projections/oracle.ts';

/** The subjects of the rows, all related to each other. */
const IDS: Readonly<Record<SubjectKind, string | number>> = {
  artist: 'a1'.repeat(32),
  label: 'b1'.repeat(32),
  recording: 'c1'.repeat(32),
  'catalog-artist': 990_000_001,
  'catalog-entry': 990_000_001,
  'catalog-label': 990_000_002,
  master: 990_000_003,
  festival: 'golden-festival',
  'storefront-item': 'golden-item',
};
const OTHER = 'a2'.repeat(32);
const CHANGED_AT = Date.UTC(2019, 5, 29, 12);

const VALUES: Readonly<Record<Encoding, (name: string, number: number) => unknown>> = {
  hex: () => OTHER,
  text: (name, number) =>
    /(?:^|_)urls?$/.test(name) ? `https://golden.example/${name}/${number}` : `${name} ${number}`,
  int: (_name, number) => number + 9,
  num: (_name, number) => number + 0.5,
  bool: () => true,
  date: (_name, number) => `2019-0${number}-15`,
  partial_date: () => '2018-05',
  ts: (_name, number) => `2019-0${number}-15T12:00:00Z`,
  uuid: (_name, number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
  json: () => ({}),
};

/** Rows of one table with every column filled, but for what is said of them. */
const filledRows = <C extends Columns>(
  source: Source<C>,
  ...rows: readonly Partial<RowOf<C>>[]
): ExpectedRow[] =>
  rows.map((row, index) => ({
    source,
    row: { ...filledRow(source, index + 1), ...row },
    changedAt: CHANGED_AT + index * 1_000,
  }));

function filledRow(source: Source, number: number): Record<string, unknown> {
  const subjects = new Map(
    [source.subject, ...source.alsoAbout].map(({ kind, column }) => [column, IDS[kind]]),
  );
  const entries = Object.entries(source.columns).map(([name, column]) => {
    const { encoding, isList, values } = columnShape(column);
    const value = subjects.get(name) ?? values?.[0] ?? VALUES[encoding](name, number);
    return [name, isList ? [value] : value];
  });
  return Object.fromEntries(entries);
}

/** Tables that name what there is, and say little else. */
export const SPARSE_TABLES: ReadonlySet<string> = new Set(
  [catalogArtist, catalogLabel, catalogMaster, festival, performingEntity, storefrontItem].map(
    ({ table }) => table,
  ),
);

/** Rows that say more than that every column is filled. */
const further: readonly ExpectedRow[] = [
  ...filledRows(artistIdentityBridge, { catalog_artist_id_count: 1 }),
  // One label that a cluster is bound to, and a cluster into which two were merged.
  ...filledRows(
    labelIdentityBridge,
    { catalog_label_id_count: 1 },
    { cluster_id: OTHER, catalog_label_id_count: 2 },
  ),
  // Homonyms: one recording's name, two performers.
  ...filledRows(mbRecording, {}, { artist_cluster_id: OTHER }),
  ...filledRows(storefrontItem, { scarcity_score: 0.75 }),
];

/** A row of every table with every column filled, about entities that are all related. */
export function handMadeRows(): ExpectedRow[] {
  const given = new Set(further.map(({ source }) => source));
  return [
    ...sources.filter((source) => !given.has(source)).flatMap((source) => filledRows(source, {})),
    ...further,
  ];
}
