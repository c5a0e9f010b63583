const DEADLOCK = '40P01';
const MOST_TRIES = 3;

const isDeadlock = (error: unknown): boolean =>
  error instanceof Error && (error as { code?: unknown }).code === DEADLOCK;

/**
 * Does work anew that the database has ended, and undone, because it and others waited for each other. All take a person
 * before what hangs on them, so that none should; whoever withdraws must not be turned away where one does.
 */
export async function outlastDeadlock<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === MOST_TRIES || !isDeadlock(error)) throw error;
    }
  }
}
