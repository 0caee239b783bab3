/** Reads the sizes of at most `most` events after a position. */
export type ReadSizes = (after: number, most: number) => readonly number[];

/** The start and the limits of a page of events. */
export interface PageBounds {
  readonly after: number;
  readonly limit: number;
  readonly maxBytes: number;
}

/** Number of sizes in the first read. */
const FIRST_STEP = 8;

/**
 * Counts the events of a page. The page ends with the event that reaches `maxBytes`, or after `limit` events.
 * Reading the size of a large event takes time, so the first reads are small.
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
