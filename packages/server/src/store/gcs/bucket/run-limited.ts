/** Maximum number of simultaneous requests to a bucket. */
const MAX_REQUESTS = 16;

/** Runs a request for each item, a few at a time. Resolves with the results in order; rejects with the first error. */
export async function runLimited<TItem, TResult>(
  items: readonly TItem[],
  request: (item: TItem) => Promise<TResult>,
): Promise<readonly TResult[]> {
  const results: TResult[] = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next;
      next += 1;
      results[index] = await request(items[index] as TItem);
    }
  };
  await Promise.all(Array.from({ length: Math.min(MAX_REQUESTS, items.length) }, worker));
  return results;
}
