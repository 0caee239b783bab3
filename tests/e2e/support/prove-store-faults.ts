import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { openSqliteStore } from "@dt/server";
import { expect } from "vitest";
import { openDataDir } from "./data-dir.js";

const run = promisify(execFile);
const script = path.join(import.meta.dirname, "store-script.mjs");
const EXEC_OPTIONS = { maxBuffer: 64 * 1024 * 1024 };

interface Acknowledged {
  readonly acknowledged: readonly (readonly [contextId: string, position: number])[];
}

/**
 * Makes reads of the data file fail for a while, in processes that then exit without closing the file. Needs gcc.
 *
 * Each process proves that nothing is written after a failed read, that acknowledged events are not lost, and
 * that the file is intact. Resolves with the numbers of failed calls and of acknowledged events (`kept`).
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
      ...EXEC_OPTIONS,
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
 * Fills small disks (tmpfs). Needs root, or permission to mount in a new namespace.
 *
 * Each disk proves that `disk-full` is the only error of commits, that every session stays readable, and that
 * commits work again once there is room. Resolves with the number of acknowledged events (`kept`).
 */
export async function proveFullDisks(count: number): Promise<{ readonly kept: number }> {
  await using data = await openDataDir();
  let kept = 0;
  for (let round = 0; round < count; round += 1) {
    const directory = path.join(data.directory, `disk-${round}`);
    await mkdir(directory);
    const file = path.join(directory, "store.db");
    // The files are copied inside the namespace, because the disk disappears with it.
    const steps = `mount -t tmpfs -o size=${6_000 + 37 * round}k none "$1" && "$2" "$3" fill-disk "$4" && mkdir -p "$5" && cp "$4" "$4-wal" "$5"`;
    const copy = path.join(data.directory, `copy-${round}`);
    const args = ["-m", "sh", "-c", steps, "sh", directory, process.execPath, script, file, copy];
    const { stdout } = await run("unshare", args, EXEC_OPTIONS);
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

/** Checks that a file is intact and has every acknowledged event. Returns the number of these events. */
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
