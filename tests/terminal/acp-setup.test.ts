import { stat } from "node:fs/promises";
import path from "node:path";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { expect, test } from "vitest";
import { openEditor } from "../e2e/acp/open-editor.js";
import { openScreen } from "./support/open-screen.js";

const KEY = "a-secret-key";

test("dt acp --setup asks in a terminal, shows no key, and the editor then needs no set-up [ACP-01]", async () => {
  await using home = await openTempWorkspace();
  await using terminal = openScreen({ cwd: home.root, args: ["acp", "--setup"] });

  await terminal.until("Model (gemini-2.5-pro");
  terminal.type("gemini-2.5-flash\r");
  await terminal.until("GEMINI_API_KEY (not shown):");
  terminal.type(`${KEY}\r`);
  const code = await terminal.exited;
  await using editor = await openEditor({ home: home.root, environment: { DT_MODEL: "" } });
  const sessionId = await editor.open(home.root);

  expect(code).toBe(0);
  expect(terminal.history()).toContain("dt acp now uses gemini-2.5-flash");
  expect(terminal.raw()).not.toContain(KEY);
  expect(sessionId).not.toBe("");
});

test("Ctrl-C ends dt acp --setup, and nothing is saved [ACP-01]", async () => {
  await using home = await openTempWorkspace();
  await using terminal = openScreen({ cwd: home.root, args: ["acp", "--setup"] });

  await terminal.until("Model (gemini-2.5-pro");
  terminal.type("gemini-2.5-flash\r");
  await terminal.until("GEMINI_API_KEY (not shown):");
  terminal.type("\u0003");

  expect(await terminal.exited).toBe(130);
  await expect(stat(path.join(home.root, ".local/share/dt/acp-model.json"))).rejects.toThrow(
    "ENOENT",
  );
});
