import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { root } from "./repository.js";

const execute = promisify(execFile);
const folder = path.join(root, "tooling/scripts/docs");
const scripts = readdirSync(folder).filter((name) => name.endsWith(".mjs"));

test.each(scripts)("the documents that %s writes are up to date [OPS-02]", async (script) => {
  const check = execute(process.execPath, [path.join(folder, script), "--check"]);

  await expect(check).resolves.toEqual({ stdout: "", stderr: "" });
});
