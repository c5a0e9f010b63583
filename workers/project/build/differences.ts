/** A value that differs between two documents; undefined if a document lacks it. */
export interface Difference {
  /** Such as `$.connections.related[3].name`. */
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The innermost differences of two JSON values. Lists of different lengths are compared as a whole. */
export function differences(before: unknown, after: unknown, path = '$'): Difference[] {
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return before.flatMap((item, index) => differences(item, after[index], `${path}[${index}]`));
  }
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) => differences(before[name], after[name], path + stepOf(name)));
  }
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, before, after }];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const stepOf = (name: string): string => (PLAIN_NAME.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`);

/** The path without list indexes. */
export const generalPath = (path: string): string => path.replaceAll(/\[\d+\]/g, '[*]');
