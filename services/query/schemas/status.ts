import { Type } from '@sinclair/typebox';
import { ACTIVITIES } from '../../../projections/freshness/activity.ts';
import { FRESHNESS_STATES } from '../../../projections/freshness/thresholds.ts';
import { orNull } from '../../../projections/values.ts';

const State = Type.Union(FRESHNESS_STATES.map((state) => Type.Literal(state)));
const Instant = orNull(Type.String({ format: 'date-time' }));
const Seconds = orNull(Type.Number());

const SourceStatus = Type.Object({
  source: Type.String(),
  state: State,
  activity: Type.Union(
    ACTIVITIES.map((activity) => Type.Literal(activity)),
    { description: 'quiet: heartbeats come, changes do not; dead: neither comes.' },
  ),
  refresh_cadence: Type.String(),
  as_of: Instant,
  changed_at: Instant,
  heartbeat_at: Instant,
  warn_after_seconds: Type.Number(),
  error_after_seconds: Type.Number(),
  lag_seconds: Type.Object(
    { connector: Seconds, kafka: Seconds, apply: Seconds, project: Seconds },
    { description: 'Seconds that changes spend in each stage of their way; null where none was measured.' },
  ),
});

const ProjectionStatus = Type.Object({
  projection: Type.String(),
  state: State,
  as_of: Instant,
  warn_after_seconds: Type.Number(),
  error_after_seconds: Type.Number(),
  lag_seconds: Seconds,
  sources: Type.Record(State, Type.Integer(), {
    description: 'How many of the sources that it reads are in which state.',
  }),
});

export const StatusBody = Type.Object({
  object: Type.Literal('status'),
  state: State,
  generated_at: Type.String({ format: 'date-time' }),
  replica_lag_seconds: Seconds,
  projections: Type.Array(ProjectionStatus),
  sources: Type.Array(SourceStatus),
});
