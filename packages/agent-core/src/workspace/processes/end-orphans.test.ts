import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { endOrphans } from "./end-orphans.js";
import { createProcessMark } from "./process-mark.js";
import { openMarker, removeMarkerFiles } from "./process-marker.js";
import { listProcesses } from "./process-table.js";

/**
 * Starts a script with a mark, as a tool call does, and leaves it running. Resolves with the pids that
 * the script printed.
 */
async function startMarked(script: string, mark: string, pids: number): Promise<number[]> {
  await using marker = await openMarker(mark);
  const child = spawn("/bin/sh", ["-c", script], {
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", [marker.marker]: "1" },
    detached: true,
    stdio: ["ignore", "pipe", "ignore", ...marker.stdio],
  });
  const lines = createInterface({ input: child.stdout! });
  const printed: number[] = [];
  lines.on("line", (line) => printed.push(Number(line)));
  while (printed.length < pids) await once(lines, "line");
  return printed;
}

const living = async (pids: readonly number[]) =>
  (await listProcesses()).filter(({ pid }) => pids.includes(pid)).map(({ pid }) => pid);

test("endOrphans ends processes that outlived their agent, and returns the names of the processes", async () => {
  const mark = createProcessMark();
  // The first process leaves the group, the second also clears its environment, the third ignores SIGTERM.
  const script = [
    "setsid sh -c 'echo $$; exec sleep 1000' &",
    "setsid env -i /bin/sh -c 'echo $$; exec sleep 1000' &",
    "trap '' TERM; echo $$; while :; do sleep 1000; done",
  ].join("\n");
  const pids = await startMarked(script, mark.name, 3);

  const remark = await endOrphans(mark);

  expect(await living(pids)).toEqual([]);
  for (const pid of pids) expect(remark).toContain(`(${pid})`);
  expect(remark).toMatch(/^its processes .* were still running and were ended$/);
});

test("endOrphans does not end processes that have another mark", async () => {
  const [mark, other] = [createProcessMark(), createProcessMark()];
  const pids = await startMarked("echo $$; exec sleep 1000", other.name, 1);

  const remark = await endOrphans(mark);
  const after = await living(pids);
  await endOrphans(other);

  expect(remark).toBeUndefined();
  expect(after).toEqual(pids);
  expect(await living(pids)).toEqual([]);
});

test("endOrphans ends no process if the mark is incomplete", async () => {
  const mark = createProcessMark();
  const pids = await startMarked("echo $$; exec sleep 1000", mark.name, 1);

  const remark = await endOrphans({ ...mark, name: "DT_PROCESS_" });
  const after = await living(pids);
  await endOrphans(mark);

  expect(remark).toMatch(/may still be running/);
  expect(after).toEqual(pids);
});

test("endOrphans reports that a process on another host may still be running", async () => {
  const mark = { ...createProcessMark(), host: "elsewhere", boot: "another" };

  expect(await endOrphans(mark)).toBe(
    "its process ran on elsewhere, cannot be found from here, and may still be running",
  );
});

test("endOrphans reports that this system does not show whether a process is running", async () => {
  const location = { host: "mac" };

  expect(await endOrphans({ name: createProcessMark().name, ...location }, location)).toMatch(
    /does not show whether its process is still running$/,
  );
});

test("removeMarkerFiles removes marker files and no other files", async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "dt-markers-"));
  const { name } = createProcessMark();
  for (const file of [name, `${name}_0123abcd`, "DT_PROCESS_notes.txt"]) {
    await writeFile(path.join(directory, file), "");
  }

  await removeMarkerFiles(directory);

  expect(await readdir(directory)).toEqual(["DT_PROCESS_notes.txt"]);
  await rm(directory, { recursive: true });
});
