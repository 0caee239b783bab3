import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { build } from "esbuild";

const root = path.resolve(import.meta.dirname, "../../..");

/** The examples that work with a server and also with a live session, each with its expected output. */
export const sessionPrograms = [
  {
    name: "stream-a-prompt",
    args: (url: string) => ["list then say done", url],
    expected: /done\ncompleted\n$/,
  },
  { name: "approve-a-tool", args: (url: string) => [url], expected: /^done\n$/ },
  {
    name: "edit-before-approving",
    args: (url: string) => [url],
    expected: /^greeting.txt: hello -> HELLO\ncompleted\n$/,
  },
  { name: "shared-session", args: (url: string) => [url], expected: /^(Ada|Bob) was first: / },
] as const;

/**
 * All examples that need only the address of a server. The recipes do not work with a live session, because
 * the task of a live session does not end.
 */
export const programs = [
  ...sessionPrograms,
  ...recipes([
    ["connect", /^.+: A2A 1\.0 over sse\nclosed\n$/],
    ["approve", /^done\n$/],
    ["edit", /^greeting\.txt: HELLO\n$/],
    ["cancel", /^canceled\n$/],
    ["draw", /> list then say hello\n\[list_directory SUCCEEDED\]\nhello\ncompleted\n$/],
    ["reconnect", /^two\n$/],
    ["history", /^true completed\nyou: say hello\nagent: hello\n$/],
  ]),
] as const;

/** Lists the small programs of the client's guide, each with its expected output. */
function recipes(outputs: readonly (readonly [name: string, expected: RegExp])[]) {
  return outputs.map(([name, expected]) => ({
    name: `client-recipes/src/${name}.ts`,
    args: (url: string) => [url],
    expected,
  }));
}

/** Bundles an example and runs it with Node in a workspace, as its `npm start` does. */
export async function runExample(name: string, args: readonly string[], cwd: string) {
  const scratch = mkdtempSync(path.join(tmpdir(), "dt-examples-"));
  try {
    const source = name.endsWith(".ts") ? name : `${name}/src/main.ts`;
    const outfile = path.join(scratch, "program.mjs");
    await build({
      entryPoints: [path.join(root, "examples", source)],
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
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
