import { weightOf } from '../serving/accept-encoding.ts';

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

const PROBLEM = 'application/problem+json';
/** The ranges that JSON lies in, the narrowest first. */
const JSON_RANGES = ['application/json', 'application/*', '*/*'];

/** Whether a client likes an error better as problem details (RFC 9457) than as the JSON that all other answers are. */
export function prefersProblem(accept: string | undefined): boolean {
  // The name has to be there: whatever range takes it as well takes JSON too.
  if (!accept?.toLowerCase().includes(PROBLEM)) return false;
  const weights = new Map<string, number>();
  for (const element of accept.split(',')) {
    const [range = '', ...parameters] = element.split(';');
    weights.set(range.trim().toLowerCase(), weightOf(parameters));
  }
  const range = JSON_RANGES.find((name) => weights.has(name));
  return (weights.get(PROBLEM) ?? 0) > (range === undefined ? 0 : (weights.get(range) ?? 0));
}
