/** Returns the median of some numbers. */
export function median(numbers) {
  const sorted = [...numbers].sort((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Returns the 99th percentile: the number that 99 of 100 numbers do not exceed. */
export function percentile99(numbers) {
  const sorted = [...numbers].sort((left, right) => left - right);
  return sorted[Math.ceil(sorted.length * 0.99) - 1];
}

/** Measures the duration of some work, in milliseconds. */
export async function timed(work) {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/**
 * Runs two pieces of work alternately, so that other load affects both equally. Returns the median time of
 * each.
 */
export async function compare(rounds, ours, raw) {
  const times = { ours: [], raw: [] };
  for (let round = 0; round < rounds; round += 1) {
    times.raw.push(await timed(raw));
    times.ours.push(await timed(ours));
  }
  return { ours: median(times.ours), raw: median(times.raw) };
}

export const ms = (value) => (value < 10 ? `${value.toFixed(1)} ms` : `${Math.round(value)} ms`);
export const mb = (bytes) => `${(bytes / 1024 / 1024).toFixed(1)} MB`;
export const kb = (bytes) => `${(bytes / 1024).toFixed(1)} KB`;
export const times = (ratio) => `${ratio.toFixed(2)} ×`;
