export interface BoundedCache<T> {
  get(key: string): T | undefined;
  set(key: string, value: T, bytes: number): void;
}

/** Keeps what was asked for last, up to a number of bytes. One value of more than a quarter of them is not kept. */
export function boundedCache<T>(mostBytes: number): BoundedCache<T> {
  // In the order in which they were asked for, which is what a Map keeps.
  const entries = new Map<string, { readonly value: T; readonly bytes: number }>();
  let held = 0;
  const drop = (key: string): void => {
    held -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  };
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value, bytes) {
      drop(key);
      if (bytes > mostBytes / 4) return;
      entries.set(key, { value, bytes });
      held += bytes;
      for (const oldest of entries.keys()) {
        if (held <= mostBytes) break;
        drop(oldest);
      }
    },
  };
}
