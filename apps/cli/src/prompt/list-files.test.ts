import { writeFile } from "node:fs/promises";
import path from "node:path";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { expect, test } from "vitest";
import { listFiles } from "./list-files.js";

test("only files whose names can be typed in a prompt are listed", async () => {
  await using workspace = await openTempWorkspace();
  const names = ["a.ts", "with space.ts", "ü漢.md", "new\nline.ts", "esc\x1b[31m.ts", "tab\t.ts"];
  for (const name of names) await writeFile(path.join(workspace.root, name), "");
  const unreadable = Buffer.concat([
    Buffer.from(`${workspace.root}/not-utf8-`),
    Buffer.from([255]),
  ]);
  await writeFile(unreadable, "");

  const files = await listFiles(workspace.root, new AbortController().signal);

  expect(files).toEqual(["a.ts", "with space.ts", "ü漢.md"]);
});
