/** The sizes of so many events at the most, after a place. */
export type ReadSizes = (after: number, most: number) => readonly number[];

/** Which events to count. */
export interface PageBounds {
  readonly after: number;
  readonly limit: number;
  readonly maxBytes: number;
}

/** How many sizes are asked for first. */
const FIRST_STEP = 8;

/**
 * How many events come to so many bytes; one at least. Even the size of a large event takes time, so the
 * steps are small at first: a page of few large ones costs no more than a look at a few.
 */
export function countWithin({ after, limit, maxBytes }: PageBounds, read: ReadSizes): number {
  let left = maxBytes;
  let count = 0;
  for (let step = FIRST_STEP; count < limit; step *= 4) {
    const sizes = read(after + count, Math.min(step, limit - count));
    for (const bytes of sizes) {
      count += 1;
      left -= bytes;
      if (left <= 0) return count;
    }
    if (sizes.length < step) return count;
  }
  return count;
}
