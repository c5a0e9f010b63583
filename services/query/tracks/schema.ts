import { Type } from '@sinclair/typebox';

export const State = Type.Union([Type.Literal('ok'), Type.Literal('degraded')], {
  description:
    'degraded: at least one source could not be read within 4 seconds, so results may be missing. Repeat the request later.',
});
export const Source = Type.Union([Type.Literal('mb'), Type.Literal('storefront')]);
