/** Log positions that the response must reflect. */
export const AT_LEAST = 'X-Linernotes-At-Least';
/** Maximum seconds to wait for them. */
export const WAIT = 'X-Linernotes-Wait';
/** Whether the response reflects them. */
export const FRESHNESS = 'X-Linernotes-Freshness';
