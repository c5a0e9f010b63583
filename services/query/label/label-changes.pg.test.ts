import { describe, expect, it } from 'vitest';
import { catalogLabel } from '../../../projections/contracts/catalog/label.ts';
import { labelDjsetMomentum } from '../../../projections/contracts/seen/label-djset-momentum.ts';
import { labelIdentityBridge } from '../../../projections/contracts/seen/label-identity-bridge.ts';
import type { ProducerChange } from '../../../test/support/history/history.ts';
import { GAPS, withLabels, writes } from '../../../test/support/query/label-service.ts';
import { aboutLabel } from '../../../test/support/rows/label.ts';

const { get, dossier, stream } = withLabels();

describe('a cluster that moves', () => {
  const MOVING = '8b'.repeat(32);
  const [OLD, NEW] = [26, 27];
  const labels = writes(
    aboutLabel(
      catalogLabel,
      { catalog_label_id: OLD, name: 'Old', slug: 'old' },
      { catalog_label_id: NEW, name: 'New', slug: 'new' },
    ),
  );
  const plays = (count: number): ProducerChange[] =>
    writes(aboutLabel(labelDjsetMomentum, { cluster_id: MOVING, play_count: count, plays_last_365d: 0 }));
  const bound = (id: number | null, count = 1): ProducerChange[] =>
    writes(
      aboutLabel(labelIdentityBridge, {
        cluster_id: MOVING,
        catalog_label_id: id,
        catalog_label_id_count: count,
        name: 'Moving',
        slug: 'moving',
      }),
    );
  const holding = { cluster_id: MOVING, dj_momentum: { state: 'present' } };
  const bare = { cluster_id: null, resolved_via: 'catalog', dj_momentum: GAPS.dj_momentum };

  it('moves its rows from one catalogue label to the other', async () => {
    await stream(...labels, ...plays(5), ...bound(OLD));
    expect(await dossier('old')).toMatchObject(holding);
    expect(await dossier('new')).toMatchObject(bare);

    await stream(...bound(NEW));
    expect(await dossier('old')).toMatchObject(bare);
    expect(await dossier('new')).toMatchObject({ ...holding, id: NEW, binds: { catalog_label_id: NEW } });
    expect(await dossier(MOVING)).toMatchObject({ id: null, binds: { catalog_label_id: NEW } });
  });

  it('applies later changes only to the new label', async () => {
    const before = await get('/api/v2/label/old');
    await stream(...plays(6));
    for (const requested of ['new', MOVING])
      expect(await dossier(requested)).toMatchObject({ dj_momentum: { signals: { playCount: 6 } } });
    expect((await get('/api/v2/label/old')).headers.etag).toBe(before.headers.etag);
  });

  it('is flagged on both documents while a second catalogue label is folded in', async () => {
    await stream(...bound(NEW, 2));
    for (const requested of ['new', MOVING])
      expect(await dossier(requested)).toMatchObject({
        resolved_via: 'cluster',
        over_merge: { folded: true },
      });
    await stream(...bound(NEW));
    expect(await dossier('new')).not.toHaveProperty('over_merge');
  });

  it('leaves both without its rows when bound to neither, and disappears with its rows', async () => {
    await stream(...bound(null));
    for (const requested of ['old', 'new']) expect(await dossier(requested)).toMatchObject(bare);
    const [bridge, momentum] = [...bound(null), ...plays(6)].map(
      (rowChange): ProducerChange => ({ ...rowChange, kind: 'delete' }),
    );
    if (bridge === undefined || momentum === undefined) throw new Error('nothing to delete');
    await stream(bridge, momentum);
    expect(await dossier(MOVING)).toMatchObject({ identity: null, slug: MOVING, ...GAPS });
    expect(await dossier('moving')).toMatchObject({ identity: null, cluster_id: null });
  });
});
