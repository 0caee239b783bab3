import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { build } from "esbuild";
import { afterAll, expect, test } from "vitest";
import { openStage } from "./support/open-stage.js";

const root = path.resolve(import.meta.dirname, "../..");
const scratch = mkdtempSync(path.join(tmpdir(), "dt-examples-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const programs = [
  {
    name: "stream-a-prompt",
    args: (url: string) => ["list then say done", url],
    says: /done\ncompleted\n$/,
  },
  { name: "approve-a-tool", args: (url: string) => [url], says: /^done\n$/ },
  {
    name: "edit-before-approving",
    args: (url: string) => [url],
    says: /^greeting.txt: hello -> HELLO\ncompleted\n$/,
  },
  { name: "shared-session", args: (url: string) => [url], says: /^(Ada|Bob) was first: / },
] as const;

test.each(programs)("the program of $name does what it says", async ({ name, args, says }) => {
  await using stage = await openStage();

  const { exitCode, output } = await run(name, args(stage.url), stage.workspace.root);

  expect(output).toMatch(says);
  expect(exitCode).toBe(0);
});

test.each(programs)("the program of $name fails where no agent is", async ({ name, args }) => {
  const { exitCode, output } = await run(name, args("http://127.0.0.1:1"), scratch);

  expect(exitCode).toBe(1);
  expect(output).toContain("no agent answers at http://127.0.0.1:1; is it running?");
});

test("a question that the first program cannot answer ends it, and it says so", async () => {
  await using stage = await openStage();

  const { exitCode, output } = await run(
    "stream-a-prompt",
    ["write a.txt: a", stage.url],
    stage.workspace.root,
  );

  expect(exitCode).toBe(1);
  expect(output).toContain("canceled");
});

/** Runs an example as its `npm start` does: bundled, then by Node, in a workspace. */
async function run(name: string, args: readonly string[], cwd: string) {
  const outfile = path.join(scratch, `${name}.mjs`);
  await build({
    entryPoints: [path.join(root, "examples", name, "src/main.ts")],
    bundle: true,
    platform: "node",
    format: "esm",
    outfile,
    logLevel: "silent",
  });
  const child = spawn(process.execPath, [outfile, ...args], { cwd });
  const [output, errors, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { exitCode, output: output + errors };
}
