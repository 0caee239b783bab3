import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { openStage } from "./support/open-stage.js";

const script = fileURLToPath(new URL("support/subscribe-script.mjs", import.meta.url));

test("a program exits after its subscription ends, even without closing its client", async () => {
  await using stage = await openStage();
  const child = spawn(process.execPath, [script, stage.url, stage.workspace.root]);
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output += chunk;
  });
  const timer = setTimeout(() => child.kill(), 100_000);

  const [exitCode] = await once(child, "exit");
  clearTimeout(timer);

  expect(output).toBe("completed\n");
  expect(exitCode).toBe(0);
});
