import { definePlugin } from '../../http/define-plugin.ts';

const NUMERAL = /^[+-]?\d+$/;
/** Anything that the validator takes for no integer. */
const NO_INTEGER = 'no integer';

/**
 * Integers of a query have to be written in digits. The validator reads numbers as JavaScript does, to which `0x10`, `1e2`
 * and a blank are numbers too; what is no numeral is kept from it, so that it refuses it beside all else at fault.
 */
export const integerNumerals = definePlugin('integer-numerals', [], (app) => {
  app.addHook('onRoute', (route) => {
    const names = integersOf(route.schema?.querystring);
    if (names.length === 0) return;
    // After those of the route, some of which leave out what does not count.
    route.preValidation = [
      ...[route.preValidation ?? []].flat(),
      (request, _reply, done) => {
        hideOthers(request.query as Record<string, unknown>, names);
        done();
      },
    ];
  });
});

/** Names of the parameters that are integers, be they nullable or not. */
function integersOf(querystring: unknown): readonly string[] {
  const { properties = {} } = (querystring ?? {}) as {
    readonly properties?: Readonly<Record<string, { readonly type?: unknown }>>;
  };
  return Object.entries(properties).flatMap(([name, { type }]) => (type === 'integer' ? [name] : []));
}

function hideOthers(query: Record<string, unknown>, names: readonly string[]): void {
  for (const name of names) {
    const value = query[name];
    if (typeof value === 'string' && value !== '' && !NUMERAL.test(value)) query[name] = NO_INTEGER;
  }
}
