import { type Static, Type } from '@sinclair/typebox';
import type { Row } from '../../../contracts/contract.ts';
import { masterPropagationTimelineCluster } from '../../../contracts/seen/master-propagation-timeline-cluster.ts';
import { type Facet, openState } from '../../../engine/facet.ts';
import { ascending, sorted } from '../../../engine/order.ts';
import type { MasterRows } from '../master-rows.ts';

type Seen = Row<typeof masterPropagationTimelineCluster>;

const description = 'Where the release group was seen, the earliest channel first.';

const Channel = Type.Object({
  channel: Type.Union([
    Type.Literal('dj'),
    Type.Literal('radio'),
    Type.Literal('press'),
    Type.Literal('collector'),
  ]),
  firstSeenAt: Type.String({ format: 'date' }),
  latestSeenAt: Type.String({ format: 'date' }),
  observations: Type.Integer(),
});

export const propagation: Facet<MasterRows, 'propagation'> = {
  name: 'propagation',
  sources: [masterPropagationTimelineCluster],
  description,
  schema: Type.Array(Channel, { description }),
  build(rows) {
    const channels = sorted(
      channelsOf(rows.all(masterPropagationTimelineCluster)),
      ascending(({ firstSeenAt }) => firstSeenAt),
      ascending(({ channel }) => channel),
    );
    const state = channels.length > 0 ? 'present' : openState(rows, [masterPropagationTimelineCluster]);
    return { state, value: channels };
  },
};

/** Each credited cluster repeats the same observations, so they must not be summed. */
function channelsOf(seen: readonly Seen[]): Static<typeof Channel>[] {
  const channels = new Map<Seen['channel'], Static<typeof Channel>>();
  for (const { channel, first_seen_at, latest_seen_at, observations } of seen) {
    const known = channels.get(channel);
    if (known === undefined) {
      channels.set(channel, {
        channel,
        firstSeenAt: first_seen_at,
        latestSeenAt: latest_seen_at,
        observations,
      });
      continue;
    }
    if (first_seen_at < known.firstSeenAt) known.firstSeenAt = first_seen_at;
    if (latest_seen_at > known.latestSeenAt) known.latestSeenAt = latest_seen_at;
    known.observations = Math.max(known.observations, observations);
  }
  return [...channels.values()];
}
