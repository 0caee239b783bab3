import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { root } from "./repository.js";

test("the benchmark measures the built dt-server with a vendor's adapter [PERF-01]", () => {
  const { status, stdout } = spawnSync("node", ["bench/src/main.mjs", "turn on an existing task"], {
    cwd: root,
    encoding: "utf8",
  });

  expect(status).toBe(0);
  // The figure depends on the machine, so it is not checked.
  expect(stdout).toMatch(/turn on an existing task, p50, Gemini +[\d.]+ ms/);
});
