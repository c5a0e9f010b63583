/** Makes the next item while the one before it is being used. */
export async function* oneAhead<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    for (let next = take(iterator); ; ) {
      const item = await next;
      if (item.done) return;
      next = take(iterator);
      yield item.value;
    }
  } finally {
    await iterator.return?.();
  }
}

function take<T>(iterator: AsyncIterator<T>): Promise<IteratorResult<T>> {
  const item = iterator.next();
  // A failure is thrown when its turn comes; until then it must not count as unhandled.
  item.catch(() => {});
  return item;
}
