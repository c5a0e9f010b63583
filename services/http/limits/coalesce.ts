/**
 * Requests of one name that arrive in one tick, or while an earlier round of that name is in flight, share a round. So the
 * cost of each request falls as the load rises.
 *
 * @param run decides a number of requests, the earliest first
 */
export function coalesce<Subject, Decision>(
  run: (subject: Subject, requests: number) => Promise<readonly Decision[]>,
): (name: string, subject: Subject) => Promise<Decision> {
  const rounds = new Map<string, PromiseWithResolvers<Decision>[]>();

  async function runRounds(name: string, subject: Subject): Promise<void> {
    for (;;) {
      const requests = rounds.get(name) ?? [];
      if (requests.length === 0) break;
      rounds.set(name, []);
      try {
        const decisions = await run(subject, requests.length);
        for (const [index, request] of requests.entries()) request.resolve(decisions[index] as Decision);
      } catch (error) {
        for (const request of requests) request.reject(error);
      }
    }
    rounds.delete(name);
  }

  return (name, subject) => {
    const request = Promise.withResolvers<Decision>();
    const next = rounds.get(name);
    if (next === undefined) {
      rounds.set(name, [request]);
      setImmediate(() => void runRounds(name, subject));
    } else next.push(request);
    return request.promise;
  };
}
