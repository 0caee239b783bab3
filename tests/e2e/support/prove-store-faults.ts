import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { openSqliteStore } from "@dt/server";
import { expect } from "vitest";
import { openDataDir } from "./data-dir.js";

const run = promisify(execFile);
const script = path.join(import.meta.dirname, "store-script.mjs");
const most = { maxBuffer: 64 * 1024 * 1024 };

interface Acknowledged {
  readonly acknowledged: readonly (readonly [contextId: string, seq: number])[];
}

/**
 * Lets reads of the data file fail for a while, in processes that are killed afterwards. Needs gcc.
 *
 * Proves for every one: nothing is written once a read has failed, what was acknowledged is there
 * afterwards, and the file is whole. Resolves with how many calls failed, and how many events were kept.
 */
export async function proveReadErrors(
  count: number,
): Promise<{ readonly failed: number; readonly kept: number }> {
  await using data = await openDataDir();
  const shim = path.join(data.directory, "fail-reads.so");
  const source = path.join(import.meta.dirname, "fail-reads.c");
  await run("gcc", ["-shared", "-fPIC", "-o", shim, source, "-ldl"]);
  const flag = path.join(data.directory, "reads-fail");
  const totals = { failed: 0, kept: 0 };
  for (let round = 0; round < count; round += 1) {
    const file = path.join(data.directory, `round-${round}`, "store.db");
    const env = { ...process.env, LD_PRELOAD: shim, DT_FAIL_READS: flag };
    const { stdout } = await run(process.execPath, [script, "fail-reads", file, flag], {
      env,
      ...most,
    });
    const result = JSON.parse(stdout) as Acknowledged & { failed: number };
    expect(result).toMatchObject({
      check: "store-damaged",
      late: "store-damaged",
      read: { whole: 20, sessions: 20, errors: [] },
    });
    expect(result.failed).toBeGreaterThan(0);
    totals.failed += result.failed;
    totals.kept += await checkKept(file, result);
  }
  return totals;
}

/**
 * Fills small disks (tmpfs). Needs root, or the right to mount in a namespace of its own.
 *
 * Proves for every one: commits are refused as `disk-full` and nothing else, every session can be read
 * meanwhile, and commits work again once there is room. Resolves with how many events were kept.
 */
export async function proveFullDisks(count: number): Promise<{ readonly kept: number }> {
  await using data = await openDataDir();
  let kept = 0;
  for (let round = 0; round < count; round += 1) {
    const directory = path.join(data.directory, `disk-${round}`);
    await mkdir(directory);
    const file = path.join(directory, "store.db");
    // The copy is made inside, because the disk goes away with its namespace.
    const steps = `mount -t tmpfs -o size=${6_000 + 37 * round}k none "$1" && "$2" "$3" fill-disk "$4" && mkdir -p "$5" && cp "$4" "$4-wal" "$5"`;
    const copy = path.join(data.directory, `copy-${round}`);
    const args = ["-m", "sh", "-c", steps, "sh", directory, process.execPath, script, file, copy];
    const { stdout } = await run("unshare", args, most);
    const result = JSON.parse(stdout) as Acknowledged;
    expect(result).toMatchObject({
      refused: ["disk-full"],
      check: "disk-full",
      whileFull: { errors: [] },
      checkAfter: "ok",
      afterwards: { whole: 20, sessions: 20, errors: [] },
    });
    kept += await checkKept(path.join(copy, "store.db"), result);
  }
  return { kept };
}

/** Opens a file after a crash: it is whole, and all that was acknowledged is there. */
async function checkKept(file: string, { acknowledged }: Acknowledged): Promise<number> {
  const store = openSqliteStore({ file });
  const lasts = new Map(acknowledged);
  for (const [contextId, last] of lasts) {
    const events = await store.readEvents({ contextId, after: 0, limit: 100_000 });
    expect(events.length, contextId).toBeGreaterThanOrEqual(last);
  }
  expect(await store.check()).toEqual({ damagedSessions: [] });
  await store.close();
  return acknowledged.length;
}
