/**
 * Makes this process one that is given jobs by the one that forked it, and ends with it.
 *
 * @param work answers a job; what it throws is thrown on the other side
 */
export function answerJobs<Job, Result>(work: (job: Job) => Promise<Result>): void {
  process.on('message', (job: Job) => {
    work(job).then(
      (result) => answer({ result }),
      (error: Error) => answer({ error: error.stack ?? error.message }),
    );
  });
  process.on('disconnect', () => process.exit());
  // Ctrl-C reaches the whole group; the parent ends this process in its order.
  process.on('SIGINT', () => {});
}

/** Once the parent has hung up there is nobody to answer. */
function answer(message: { readonly result: unknown } | { readonly error: string }): void {
  if (process.connected) process.send?.(message, () => {});
}
