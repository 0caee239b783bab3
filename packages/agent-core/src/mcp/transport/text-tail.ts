/** The last part of a growing text. */
export interface TextTail {
  push(text: string): void;
  readonly text: string;
}

/** Creates a tail of at most the given number of characters. */
export function createTextTail(maxLength: number): TextTail {
  let tail = "";
  return {
    push(text) {
      tail = (tail + text).slice(-maxLength);
    },
    get text() {
      return tail.trim();
    },
  };
}
