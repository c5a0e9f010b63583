import { Type } from '@sinclair/typebox';

const Causes = Type.Array(
  Type.Object({
    what: Type.String(),
    since: Type.String({ format: 'date-time' }),
    detail: Type.String(),
  }),
);

export const HealthyBody = Type.Object({ status: Type.Literal('ok') });
export const UnhealthyBody = Type.Object({ error: Type.Literal('unhealthy'), causes: Causes });

export const ReadyBody = Type.Object({
  status: Type.Literal('ready'),
  degraded: Type.Optional({
    ...Causes,
    description: 'What it does without for now; absent where there is nothing.',
  }),
});
export const NotReadyBody = Type.Object({ error: Type.Literal('not_ready'), causes: Causes });
