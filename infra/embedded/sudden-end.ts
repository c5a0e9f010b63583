const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const endings = new Set<() => void>();

function endAll(): void {
  for (const end of endings) end();
}

/** Who listens too ends in good order by itself; a process nobody ends so dies as it would have. */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  endAll();
  process.off(signal, onSignal);
  process.kill(process.pid, signal);
}

/**
 * Has `end` called when this process exits, or dies of a signal that nothing else listens to. It must not
 * wait for anything. Answers how to take it back.
 */
export function onSuddenEnd(end: () => void): () => void {
  if (endings.size === 0) {
    process.on('exit', endAll);
    for (const signal of SIGNALS) process.on(signal, onSignal);
  }
  endings.add(end);
  return () => {
    endings.delete(end);
    if (endings.size > 0) return;
    process.off('exit', endAll);
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
}
