/** Something with a time (ISO 8601). */
interface Timed {
  readonly at: string;
}

interface Head<TItem> {
  readonly item: TItem;
  readonly source: AsyncIterator<TItem>;
}

/** Merges several sources into one. All of them are sorted by time. Only one item of each source is in memory. */
export async function* mergeByTime<TItem extends Timed>(
  sources: readonly AsyncIterable<TItem>[],
): AsyncGenerator<TItem> {
  // The first item of each source, sorted with the earliest item last, because removing the last element moves no
  // others.
  const heads: Head<TItem>[] = [];
  for (const source of sources) await push(heads, source[Symbol.asyncIterator]());
  for (let head = heads.pop(); head !== undefined; head = heads.pop()) {
    yield head.item;
    await push(heads, head.source);
  }
}

/** Adds the next item of a source, if there is one. */
async function push<TItem extends Timed>(
  heads: Head<TItem>[],
  source: AsyncIterator<TItem>,
): Promise<void> {
  const next = await source.next();
  if (next.done === true) return;
  const item = next.value;
  let [low, high] = [0, heads.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((heads[middle]?.item.at ?? "") > item.at) low = middle + 1;
    else high = middle;
  }
  heads.splice(low, 0, { item, source });
}
