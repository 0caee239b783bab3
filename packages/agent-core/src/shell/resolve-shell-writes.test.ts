import { symlink } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { openTempWorkspace } from "../testing/temp-workspace.js";
import { parseShellCommand } from "./parse-shell-command.js";
import { resolveShellWrites } from "./resolve-shell-writes.js";

test("a redirection through a link is told by where it leads", async () => {
  await using outside = await openTempWorkspace();
  await using workspace = await openTempWorkspace();
  await symlink(outside.root, path.join(workspace.root, "link"));

  const writes = await writesOf("echo > link/a; echo > b > $X", workspace);

  expect(writes).toEqual([path.join(outside.root, "a"), path.join(workspace.root, "b"), undefined]);
});

test("a relative redirection is not known once the command goes elsewhere", async () => {
  await using workspace = await openTempWorkspace();
  const absolute = path.join(workspace.root, "b");

  const writes = await writesOf(`cd x && echo > a > ${absolute}`, workspace);

  expect(writes).toEqual([undefined, absolute]);
});

async function writesOf(
  command: string,
  workspace: Awaited<ReturnType<typeof openTempWorkspace>>,
): Promise<readonly (string | undefined)[]> {
  const parts = (await parseShellCommand(command)) ?? [];
  const resolved = await resolveShellWrites(parts, workspace.root, workspace);
  return resolved.flatMap((part) => part.writes);
}
