/** Detects frames that already arrived on another stream. */
export interface RepeatedFrames {
  /**
   * Returns true if an equal frame arrived on another stream; each earlier frame matches only once.
   */
  isRepeated(result: unknown, stream: number): boolean;
}

const MAX_REMEMBERED = 1_000;

/**
 * Creates a memory of the last frames. An agent without cursors sends the same event on every
 * stream of a task. Two equal frames within one stream are two events.
 */
export function createRepeatedFrames(): RepeatedFrames {
  const remembered = new Map<string, { stream: number; count: number }>();
  return {
    isRepeated(result, stream) {
      const key = keyOf(JSON.stringify(result));
      const known = remembered.get(key);
      if (known !== undefined && known.stream !== stream && known.count > 0) {
        known.count -= 1;
        return true;
      }
      const count = known?.stream === stream ? known.count + 1 : 1;
      remembered.delete(key);
      remembered.set(key, { stream, count });
      const [oldest] = remembered.keys();
      if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
      return false;
    },
  };
}

// Computes the key of a frame: its length and two hashes, because the frame itself may be large.
function keyOf(text: string): string {
  let [first, second] = [0x811c9dc5, 0x9747b28c];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    first = Math.imul(first ^ code, 0x01000193);
    second = Math.imul(second ^ code, 0x85ebca6b);
  }
  return `${text.length} ${first} ${second}`;
}
