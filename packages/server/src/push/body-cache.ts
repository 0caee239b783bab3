/** A cache of bodies that contain a whole task. Configs that deliver the same body share it. */
export interface BodyCache {
  /** Gets the body with a name. Calls `write` unless the body is already cached or being written. */
  get(name: string, write: () => Promise<string>): Promise<string>;
}

/** Maximum number of characters in all bodies together. */
const MAX_CACHED_CHARACTERS = 16 * 1024 * 1024;

/** Creates a cache. Beyond `maxCached` characters, the least recently used bodies are evicted. */
export function createBodyCache(maxCached = MAX_CACHED_CHARACTERS): BodyCache {
  const bodies = new Map<string, { readonly body: Promise<string>; length: number }>();
  let total = 0;

  function forget(name: string): void {
    total -= bodies.get(name)?.length ?? 0;
    bodies.delete(name);
  }

  return {
    get(name, write) {
      const cached = bodies.get(name);
      if (cached !== undefined) {
        bodies.delete(name);
        bodies.set(name, cached);
        return cached.body;
      }
      const written = { body: write(), length: 0 };
      bodies.set(name, written);
      written.body.then(
        ({ length }) => {
          // A body that was evicted while it was being written is not counted.
          if (bodies.get(name) !== written) return;
          written.length = length;
          total += length;
          for (const oldest of bodies.keys()) {
            if (total <= maxCached) break;
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
