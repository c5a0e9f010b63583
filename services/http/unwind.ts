/** The last thing begun is ended first; once undone, there is nothing left to undo. */
export async function unwind(undo: (() => unknown)[]): Promise<void> {
  for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step();
}
