import { definePlugin } from '../define-plugin.ts';

const NUMERAL = /^[+-]?\d+$/;
/** A text that the validator rejects as an integer. */
const NO_INTEGER = 'no integer';

/**
 * Requires integers of a query to be written in digits. The validator reads numbers as JavaScript does, so it would accept
 * `0x10`, `1e2` and a blank. It gets an invalid text instead, and reports it with all other faults.
 */
export const integerNumerals = definePlugin('integer-numerals', [], (app) => {
  app.addHook('onRoute', (route) => {
    const names = integersOf(route.schema?.querystring);
    if (names.length === 0) return;
    // After the hooks of the route, some of which remove ignored parameters.
    route.preValidation = [
      ...[route.preValidation ?? []].flat(),
      (request, _reply, done) => {
        hideOthers(request.query as Record<string, unknown>, names);
        done();
      },
    ];
  });
});

/** Names of the integer parameters, nullable or not. */
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
