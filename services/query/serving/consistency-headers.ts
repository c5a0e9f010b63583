/** Positions of the log whose effect a reader wants to see. */
export const AT_LEAST = 'X-Linernotes-At-Least';
/** How many seconds the reader would wait for it. */
export const WAIT = 'X-Linernotes-Wait';
/** Whether the answer shows it. */
export const FRESHNESS = 'X-Linernotes-Freshness';
