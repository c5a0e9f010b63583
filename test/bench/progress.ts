/** Says on stderr what is being done, and how long it took. */
export async function step<T>(what: string, work: () => Promise<T>): Promise<T> {
  process.stderr.write(`${what} … `);
  const start = performance.now();
  const result = await work();
  process.stderr.write(`${((performance.now() - start) / 1_000).toFixed(1)} s\n`);
  return result;
}
