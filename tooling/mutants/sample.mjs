/**
 * Takes a random sample of the mutants. The same mutants and the same seed give the same sample. Mutants
 * for which `isSkipped` returns true are not taken.
 *
 * @template {{ package: string, file: string, change: string, operator: string }} T
 * @param {readonly T[]} mutants
 * @param {{ seed: number, count: number, isSkipped: (mutant: T) => boolean }} options
 */
export function takeSample(mutants, { seed, count, isSkipped }) {
  const random = createRandom(seed);
  const waiting = [...mutants];
  const taken = [];
  while (taken.length < count && waiting.length > 0) {
    const index = Math.floor(random() * waiting.length);
    const mutant = waiting[index];
    waiting[index] = waiting[waiting.length - 1];
    waiting.pop();
    if (!isSkipped(mutant)) taken.push(mutant);
  }
  return taken;
}

/** Creates a seeded random generator (mulberry32). */
export function createRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
