/**
 * Runs the jobs that the parent process sends, and ends with the parent.
 *
 * @param work runs one job; its errors are thrown in the parent
 */
export function handleJobs<Job, Result>(work: (job: Job) => Promise<Result>): void {
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

/** Sends nothing after the parent disconnected. */
function answer(message: { readonly result: unknown } | { readonly error: string }): void {
  if (process.connected) process.send?.(message, () => {});
}
