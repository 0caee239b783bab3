import { spawnSync } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { expect, test } from "vitest";
import { main } from "./open-editor.js";

const KEY = "a-secret-key";

function setUp(home: string, input: string) {
  return spawnSync(process.execPath, [main, "acp", "--setup"], {
    input,
    encoding: "utf8",
    env: { PATH: process.env.PATH ?? "", HOME: home },
  });
}

test("dt acp --setup saves the model and its key in a file that only the owner can read, and prints no key [ACP-01]", async () => {
  await using home = await openTempWorkspace();

  const { status, stdout, stderr } = setUp(home.root, `gemini-2.5-flash\n${KEY}\n`);

  const file = path.join(home.root, ".local/share/dt/acp-model.json");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toContain("dt acp now uses gemini-2.5-flash");
  expect(stdout).not.toContain(KEY);
  expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ key: KEY });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test.each([
  ["gemini-2.5-flash\n\n", "needs GEMINI_API_KEY"],
  ["gpt-5\nkey\n", "write openai:gpt-5"],
  ["", "the set-up was ended"],
])("dt acp --setup refuses %j with a reason", async (input, reason) => {
  await using home = await openTempWorkspace();

  const { status, stderr } = setUp(home.root, input);

  expect(status).toBe(2);
  expect(stderr).toContain(reason);
});
