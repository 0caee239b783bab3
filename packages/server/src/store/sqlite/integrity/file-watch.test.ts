import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { StoreFault } from "../../store-fault.js";
import { watchFiles } from "./file-watch.js";

/** Watches an existing file, and one that does not exist yet. A test advances the fake timers. */
function openStage() {
  vi.useFakeTimers();
  const folder = mkdtempSync(path.join(tmpdir(), "dt-watch-"));
  const [file, later] = [path.join(folder, "file"), path.join(folder, "later")];
  writeFileSync(file, "");
  const faults: StoreFault[] = [];
  const watch = watchFiles({
    files: [file, later],
    everyMs: 500,
    onGone: (fault) => faults.push(fault),
  });
  onTestFinished(() => {
    watch.close();
    vi.useRealTimers();
    rmSync(folder, { recursive: true });
  });
  return { file, later, faults, watch };
}

test("a watch reports a deleted file at its next check, and only once", () => {
  const { file, faults, watch } = openStage();

  rmSync(file);
  vi.advanceTimersByTime(499);
  expect(faults).toEqual([]);
  expect(() => watch.rethrow()).not.toThrow();
  vi.advanceTimersByTime(1_001);

  expect(faults.map(({ message }) => message)).toEqual([
    `${file} was deleted while it was in use; nothing more is written; put it back or restart`,
  ]);
  expect(() => watch.rethrow()).toThrow(expect.objectContaining({ kind: "store-gone" }));
});

test("a watch reports a file again if it was restored and then replaced", () => {
  const { file, faults, watch } = openStage();
  const away = `${file}-away`;

  renameSync(file, away);
  expect(() => watch.check()).toThrow("was deleted");
  renameSync(away, file);
  expect(() => watch.check()).not.toThrow();
  renameSync(file, away);
  writeFileSync(file, "");
  expect(() => watch.check()).toThrow("was replaced");

  expect(faults).toHaveLength(2);
});

test("a file that is created later is watched after its creation", () => {
  const { later, faults, watch } = openStage();

  writeFileSync(later, "");
  watch.check();
  rmSync(later);

  expect(() => watch.check()).toThrow(`${later} was deleted`);
  expect(faults).toHaveLength(1);
});

test("a closed watch checks nothing", () => {
  const { file, faults, watch } = openStage();

  watch.close();
  rmSync(file);
  vi.advanceTimersByTime(5_000);

  expect(faults).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});
