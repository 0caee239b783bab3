import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { openSqliteStore, SetupError } from "@dt/server";
import { expect } from "vitest";
import { openDataDir } from "./data-dir.js";
import { fillStore, type Served, serveAll } from "./flip-store.js";
import { createRandom } from "./random.js";

/** The number of flips that had each outcome. */
export interface FlipOutcomes {
  /** Everything was served as written. */
  readonly right: number;
  /** Some sessions were reported as damaged, and the others were served as written. */
  readonly session: number;
  /** The whole file was reported as damaged. The store did not open the file, or opened it read-only. */
  readonly store: number;
}

/**
 * Copies a store's file `count` times, flips one random bit in each copy, and reads all sessions of the copy.
 *
 * Each flip proves that wrong content is never served: if the bit mattered, its session or the whole file
 * is reported as damaged.
 */
export async function proveFlips(count: number, seed: number): Promise<FlipOutcomes> {
  await using data = await openDataDir();
  const original = path.join(data.directory, "original.db");
  await fillStore(original);
  const bytes = await readFile(original);
  const whole = openSqliteStore({ file: original });
  const expected = await serveAll(whole);
  await whole.close();
  // Zero bytes are left alone, because most of them are unused space.
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
    // Each read must fail or return the correct content.
    const falsified = wrong.filter((name) => !served[name]?.startsWith("error: "));
    expect(falsified, label).toEqual([]);
    return "store";
  }
  const { damagedSessions } = condition;
  const unreported = wrong.filter((name) => !damagedSessions.includes(name.split(" ")[0] ?? ""));
  expect(unreported, label).toEqual([]);
  // A damaged session must return an error, nothing, or the correct content.
  const falsified = wrong.filter(
    (name) => !/^(error: |undefined$|\{"tasks":\[\])/.test(served[name] ?? ""),
  );
  expect(falsified, label).toEqual([]);
  return damagedSessions.length > 0 ? "session" : "right";
}
