import type { ObjectBucket } from "./bucket/object-bucket.js";

/** An object with JSON that several processes change. Changes that arrive at the same time are written together. */
export interface SharedObject<TValue> {
  /** Reads the current value. */
  read(): Promise<TValue>;
  /** Changes the value. `change` may run again if another process has changed the value meanwhile. */
  update<TResult>(change: (value: TValue) => Promise<TResult>): Promise<TResult>;
}

/** Options of {@link createSharedObject}. */
export interface SharedObjectOptions<TValue> {
  readonly bucket: ObjectBucket;
  readonly name: string;
  decode(json: string | undefined): TValue;
  encode(value: TValue): string;
}

interface Change {
  run(value: never): Promise<() => void>;
  readonly reject: (reason: unknown) => void;
}

/** Creates the access to an object. */
export function createSharedObject<TValue>(
  options: SharedObjectOptions<TValue>,
): SharedObject<TValue> {
  const { bucket, name, decode, encode } = options;
  let known: { readonly text: string | undefined; readonly generation: string } | undefined;
  let reading: Promise<TValue> | undefined;
  let waiting: Change[] = [];
  let isWriting = false;

  async function load(): Promise<TValue> {
    const generation = (await bucket.findGeneration(name)) ?? "0";
    if (known?.generation !== generation) {
      const found = generation === "0" ? undefined : await bucket.readVersion(name);
      known = { text: found?.body.toString(), generation: found?.generation ?? "0" };
    }
    return decode(known.text);
  }

  async function apply(changes: readonly Change[]): Promise<void> {
    for (;;) {
      const value = await load();
      const finished: (() => void)[] = [];
      for (const change of changes) finished.push(await change.run(value as never));
      const text = encode(value);
      const generation =
        text === known?.text
          ? known.generation
          : await bucket.replace(name, text, known?.generation ?? "0");
      if (generation === undefined) continue;
      known = { text, generation };
      for (const finish of finished) finish();
      return;
    }
  }

  async function writeAll(): Promise<void> {
    if (isWriting) return;
    isWriting = true;
    while (waiting.length > 0) {
      const changes = waiting;
      waiting = [];
      await apply(changes).catch((reason: unknown) => {
        for (const { reject } of changes) reject(reason);
      });
    }
    isWriting = false;
  }

  return {
    read() {
      reading ??= load().finally(() => {
        reading = undefined;
      });
      return reading;
    },
    update: (change) =>
      new Promise((resolve, reject) => {
        waiting.push({
          reject,
          run: async (value) => {
            const result = await change(value as TValue);
            return () => resolve(result);
          },
        });
        void writeAll();
      }),
  };
}
