const DEADLOCK = '40P01';
const MOST_TRIES = 3;

const isDeadlock = (error: unknown): boolean =>
  error instanceof Error && (error as { code?: unknown }).code === DEADLOCK;

/**
 * Repeats work that the database rolled back because of a deadlock. All work locks a person
 * before the person's rows, so none should occur; but a withdrawal must not fail because of one.
 */
export async function retryOnDeadlock<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === MOST_TRIES || !isDeadlock(error)) throw error;
    }
  }
}
