/** What was written out of a whole task, kept for a while: whoever is told the same costs nothing. */
export interface KeptBodies {
  /** The body of this name, written now unless it is kept or being written. */
  find(name: string, write: () => Promise<string>): Promise<string>;
}

/** How many characters are kept, of all bodies together. */
const MAX_KEPT = 16 * 1024 * 1024;

/** Opens a memory for bodies; those that were asked for last stay. */
export function createKeptBodies(maxKept = MAX_KEPT): KeptBodies {
  const bodies = new Map<string, { readonly body: Promise<string>; length: number }>();
  let total = 0;

  function forget(name: string): void {
    total -= bodies.get(name)?.length ?? 0;
    bodies.delete(name);
  }

  return {
    find(name, write) {
      const kept = bodies.get(name);
      if (kept !== undefined) {
        bodies.delete(name);
        bodies.set(name, kept);
        return kept.body;
      }
      const written = { body: write(), length: 0 };
      bodies.set(name, written);
      written.body.then(
        ({ length }) => {
          // Others were larger meanwhile, and it had to go before it was there.
          if (bodies.get(name) !== written) return;
          written.length = length;
          total += length;
          for (const oldest of bodies.keys()) {
            if (total <= maxKept) break;
            forget(oldest);
          }
        },
        () => {
          if (bodies.get(name) === written) forget(name);
        },
      );
      return written.body;
    },
  };
}
