import { type FileHandle, readFile, truncate } from "node:fs/promises";
import type { Lease, SessionStore } from "@dt/server";

/** Appends calls to a file, one JSON line each, in the order in which they are made. */
export function createCallLog(handle: FileHandle) {
  let queue: Promise<void> = Promise.resolve();
  return {
    /** Resolves when the line is on the disk. After one failure, all later writes reject. */
    write(...call: readonly [name: string, ...args: unknown[]]): Promise<void> {
      queue = queue.then(async () => {
        await handle.appendFile(`${JSON.stringify(call)}\n`);
        await handle.datasync();
      });
      return queue;
    },
    /** Rejects if an earlier write failed. */
    settled: () => queue,
  };
}

/**
 * Repeats the calls in a file on an empty store. At the end, releases the leases that the last process had
 * not released.
 */
export async function replayCalls(file: string, store: SessionStore): Promise<void> {
  const leases = new Map<string, Lease>();
  for (const [name, ...args] of await readCalls(file)) {
    try {
      if (name === "acquire") {
        const [contextId, options] = args as Parameters<SessionStore["acquire"]>;
        const lease = await store.acquire(contextId, options);
        leases.set(`${contextId} ${lease.epoch}`, lease);
      } else if (name === "release") {
        await leases.get(args.join(" "))?.release();
      } else {
        const method = store[name as keyof SessionStore] as (...args: unknown[]) => unknown;
        await method(...args);
      }
    } catch {
      // The error is ignored, because the store refused the original call for the same reason.
    }
  }
  for (const lease of leases.values()) await lease.release();
}

/** Reads the calls. If a crash left the last line unfinished, removes that line from the file. */
async function readCalls(file: string): Promise<readonly [string, ...unknown[]][]> {
  const text = await readFile(file, { encoding: "utf8", flag: "a+" });
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole.length < text.length) await truncate(file, Buffer.byteLength(whole));
  return whole
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [name, ...args] = JSON.parse(line) as [string, ...unknown[]];
      // An argument that was left out is null in the file, because JSON has no undefined.
      return [name, ...args.map((arg) => arg ?? undefined)];
    });
}
