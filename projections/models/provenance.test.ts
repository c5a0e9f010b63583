import fc from 'fast-check';
import { expect, it } from 'vitest';
import { goldenDocuments } from '../../test/golden/output.ts';
import { history } from '../../test/support/history/history.ts';
import { expectedRows, mirrorOf } from '../../test/support/projections/oracle.ts';
import { isAbout, type SubjectKind } from '../contracts/contract.ts';
import { sourceByTable } from '../contracts/index.ts';
import { splitRef } from '../engine/projection.ts';
import { isoSecond } from '../engine/provenance.ts';
import type { MirrorRows, SubjectRef } from '../engine/rows.ts';
import { artistProjection } from './artist/project.ts';
import { festivalProjection } from './festival/project.ts';
import { labelProjection } from './label/project.ts';
import { masterProjection } from './master/project.ts';

interface Entry {
  readonly field: string;
  readonly sourceTable: string;
  readonly honestGapState: string;
  readonly refreshedAt: string | null;
}

/** A dossier: its members, its provenance, and everything that its rows may be about. */
interface Checked {
  readonly members: Readonly<Record<string, unknown>>;
  readonly provenance: readonly Entry[];
  readonly about: readonly SubjectRef[];
}

const refs = (kind: SubjectKind, ids: readonly unknown[]): SubjectRef[] =>
  ids.flatMap((id): SubjectRef[] => (id === null || id === undefined ? [] : [`${kind}:${id}`]));

/** The subjects of a dossier, as the dossier itself names them. */
const subjectsOf = {
  artist: ({ id, cluster_id }: Record<string, unknown>) => [
    ...refs('catalog-artist', [id]),
    ...refs('artist', [cluster_id]),
  ],
  label: ({ id, cluster_id }: Record<string, unknown>) => [
    ...refs('catalog-label', [id]),
    ...refs('label', [cluster_id]),
  ],
  festival: ({ id, editions }: Record<string, unknown>) => {
    const items = (editions as { signals: { items: { lineup: { clusterId: string }[] }[] } | null }).signals
      ?.items;
    const acts = items?.flatMap(({ lineup }) => lineup.map(({ clusterId }) => clusterId)) ?? [];
    return [...refs('festival', [id]), ...refs('artist', acts)];
  },
  master: ({ header }: Record<string, unknown>) => {
    const { masterId, artists } = header as { masterId: number; artists: { catalogArtistId: number }[] };
    return [
      ...refs('master', [masterId]),
      ...refs(
        'catalog-artist',
        artists.map(({ catalogArtistId }) => catalogArtistId),
      ),
    ];
  },
};

async function dossiersOf(mirror: ReturnType<typeof mirrorOf>): Promise<Checked[]> {
  const dossiers: Checked[] = [];
  for (const projection of [artistProjection, labelProjection, festivalProjection, masterProjection]) {
    for (const { text } of await goldenDocuments(projection, mirror)) {
      const body = JSON.parse(text);
      const { provenance, ...members } = body.master ?? body;
      const about = subjectsOf[projection.name as keyof typeof subjectsOf](members);
      dossiers.push({ members, provenance, about });
    }
  }
  return dossiers;
}

/** When rows of the table changed that are about the dossier. */
function changesOf({ sourceTable }: Entry, about: readonly SubjectRef[], mirror: MirrorRows): string[] {
  const source = sourceByTable.get(sourceTable);
  if (source === undefined) throw new Error(`${sourceTable} is no source`);
  const refsOf = about.filter((ref) => isAbout(source, splitRef(ref).kind));
  // Release groups are read by one key: their own, else the lane's.
  const [first] = refsOf;
  const isOneKey = source.subject.kind === 'master' && first !== undefined;
  return refsOf
    .filter((ref) => !isOneKey || splitRef(ref).kind === splitRef(first).kind)
    .flatMap((ref) => mirror.changedAt(source, ref) ?? [])
    .map(isoSecond);
}

it('has one entry a field and source, in the state of that source for that field', async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(history, async (rowChanges) => {
      const expected = expectedRows(rowChanges);
      const all = mirrorOf(expected);
      for (const { members, provenance, about } of await dossiersOf(all)) {
        const names = provenance.map(({ field, sourceTable }) => `${field} ${sourceTable}`);
        expect(new Set(names).size).toBe(names.length);
        for (const entry of provenance) {
          const { field, sourceTable, honestGapState: state, refreshedAt } = entry;
          const what = `${members.grain} ${field} ${sourceTable}`;
          seen.add(`${members.grain} ${state}`);
          expect(Object.keys(members), what).toContain(field.split('.')[0]);
          expect(refreshedAt !== null, what).toBe(state === 'present');
          if (!expected.delivered.has(sourceTable)) expect(state, what).toBe('honest_gap');
          if (field.startsWith('binding')) continue;
          const changes = changesOf(entry, about, all.mirror);
          if (refreshedAt !== null) expect(changes, what).toContain(refreshedAt);
          if (state === 'empty' && sourceTable !== 'catalog.label_co_ownership')
            expect(changes, what).toEqual([]);
        }
      }
    }),
    { numRuns: 200 },
  );
  const grains = ['artist', 'label', 'festival', 'master'];
  const states = ['present', 'empty', 'honest_gap'];
  expect([...seen].sort()).toEqual(
    grains.flatMap((grain) => states.map((state) => `${grain} ${state}`)).sort(),
  );
});
