import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { openSqliteStore, SetupError } from "@dt/server";
import { expect } from "vitest";
import { openDataDir } from "./data-dir.js";
import { fillStore, type Served, serveAll } from "./flip-store.js";
import { createRandom } from "./random.js";

/** What came of the flips. */
export interface FlipOutcomes {
  /** Everything was served as it was written. */
  readonly right: number;
  /** One session was reported as damaged, and the others were served as they were written. */
  readonly session: number;
  /** The whole file was reported as damaged: it was not opened, or became read-only. */
  readonly store: number;
}

/**
 * Changes one byte of a store, again and again, and reads all of it.
 *
 * Proves for every byte: what is served is what was written, or its session, or the whole file, is
 * reported as damaged.
 */
export async function proveFlips(count: number, seed: number): Promise<FlipOutcomes> {
  await using data = await openDataDir();
  const original = path.join(data.directory, "original.db");
  await fillStore(original);
  const bytes = await readFile(original);
  const whole = openSqliteStore({ file: original });
  const expected = await serveAll(whole);
  await whole.close();
  // Bytes that hold something: most of the others belong to nothing.
  const used = [...bytes.keys()].filter((at) => bytes[at] !== 0);
  const random = createRandom(seed);
  const outcomes = { right: 0, session: 0, store: 0 };
  for (let round = 0; round < count; round += 1) {
    const at = used[random(used.length)] ?? 0;
    const flipped = Buffer.from(bytes);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << random(8));
    const directory = path.join(data.directory, "flipped");
    await mkdir(directory, { recursive: true });
    await writeFile(path.join(directory, "store.db"), flipped);
    outcomes[await judgeFlip(path.join(directory, "store.db"), expected, `byte ${at}`)] += 1;
    await rm(directory, { recursive: true });
  }
  return outcomes;
}

async function judgeFlip(
  file: string,
  expected: Served,
  label: string,
): Promise<keyof FlipOutcomes> {
  let store: ReturnType<typeof openSqliteStore>;
  try {
    store = openSqliteStore({ file });
  } catch (error) {
    expect(error, label).toBeInstanceOf(SetupError);
    return "store";
  }
  const served = await serveAll(store);
  const condition = await store.check().catch((error: Error) => error);
  await store.close();
  const wrong = Object.keys(expected).filter((name) => served[name] !== expected[name]);
  if (condition instanceof Error) {
    // Reads go on where they can: they fail, or they are right.
    const lies = wrong.filter((name) => !served[name]?.startsWith("error: "));
    expect(lies, label).toEqual([]);
    return "store";
  }
  const { damagedSessions } = condition;
  const unreported = wrong.filter((name) => !damagedSessions.includes(name.split(" ")[0] ?? ""));
  expect(unreported, label).toEqual([]);
  // Also in a damaged session, what is served is right.
  const lies = wrong.filter(
    (name) => !/^(error: |undefined$|\{"tasks":\[\])/.test(served[name] ?? ""),
  );
  expect(lies, label).toEqual([]);
  return damagedSessions.length > 0 ? "session" : "right";
}
