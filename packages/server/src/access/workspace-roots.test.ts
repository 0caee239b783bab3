import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { checkOwnWorkspace, checkSettings, checkWorkspace } from "./workspace-roots.js";

/** Creates two sibling directories with files and links. */
function openDirectories() {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "dt-roots-")));
  const at = (name: string) => path.join(root, name);
  for (const name of ["roots/..hidden", "roots/project/deep", "roots-beside"])
    mkdirSync(at(name), { recursive: true });
  writeFileSync(at("roots/file"), "");
  symlinkSync(at("roots-beside"), at("roots/outside"));
  symlinkSync(at("roots/project"), at("inside"));
  symlinkSync(at("roots"), at("linked-roots"));
  return { at, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}

async function outcomeOf(workspace: string, roots: readonly string[]) {
  return await checkWorkspace(workspace, { directories: roots }).catch(
    ({ code, message, data }: { code: string; message: string; data: unknown }) => ({
      code,
      message,
      data,
    }),
  );
}

test("a workspace is accepted if its real path is a directory under a root [SEC-04]", async () => {
  using directories = openDirectories();
  const { at } = directories;
  const roots = [at("missing"), at("linked-roots")];

  expect(await outcomeOf(at("roots"), roots)).toBe(at("roots"));
  expect(await outcomeOf(at("roots/project/deep"), roots)).toBe(at("roots/project/deep"));
  expect(await outcomeOf(at("roots/..hidden"), roots)).toBe(at("roots/..hidden"));
  expect(await outcomeOf(at("inside"), roots)).toBe(at("roots/project"));
  expect(await outcomeOf(at("roots/project"), ["/"])).toBe(at("roots/project"));
});

test("a workspace is refused if it is outside the roots, missing or relative [SEC-04]", async () => {
  using directories = openDirectories();
  const { at } = directories;
  const data = { path: "workspace_path" };
  const outside = (workspace: string) => ({
    code: "workspace-refused",
    message: `workspace_path: ${workspace} lies outside the directories that this server may work in; the operator can add it to DT_WORKSPACE_ROOTS`,
    data,
  });
  const missing = (workspace: string) => ({
    code: "invalid-message",
    message: `workspace_path: there is no directory ${workspace}`,
    data,
  });

  for (const name of [".", "roots-beside", "roots/outside"])
    expect(await outcomeOf(at(name), [at("roots")])).toEqual(outside(at(name)));
  for (const name of ["nothing", "roots/file"])
    expect(await outcomeOf(at(name), [at("roots")])).toEqual(missing(at(name)));
  expect(await outcomeOf(at("roots"), [])).toEqual(outside(at("roots")));
  expect(await outcomeOf("roots/project", [at("roots")])).toEqual({
    code: "invalid-message",
    message: "workspace_path: expected an absolute path, got roots/project",
    data,
  });
});

test("settings are returned with the real path of their workspace", async () => {
  using directories = openDirectories();
  const { at } = directories;
  const settings = { allowedTools: ["read_file"], mcpServers: {}, autoExecute: true };

  expect(
    await checkSettings(
      { ...settings, workspacePath: at("inside") },
      { directories: [at("roots")] },
    ),
  ).toStrictEqual({ ...settings, workspacePath: at("roots/project") });
});

test("a session accepts only its own workspace, and only if a root contains this workspace [SEC-04]", async () => {
  using directories = openDirectories();
  const { at } = directories;
  const own = at("roots/project");
  const check = (workspace: string, root = "roots") =>
    checkOwnWorkspace(workspace, {
      own,
      roots: { directories: [at(root)] },
      advice: "leave the field out",
    });

  await expect(check(at("inside"))).resolves.toBeUndefined();
  for (const name of ["roots/project/deep", "roots-beside"])
    await expect(check(at(name))).rejects.toMatchObject({
      code: "workspace-refused",
      message: `workspace_path: this session works only in ${own}; leave the field out`,
      data: { path: "workspace_path" },
    });
  await expect(check(own, "roots-beside")).rejects.toThrow("DT_WORKSPACE_ROOTS");
});

test("a refused workspace names the policy or the variable that excludes it [SEC-04, SEC-10]", async () => {
  using directories = openDirectories();
  const { at } = directories;
  const roots = { directories: [at("roots/project")], policy: [at("roots")] };

  await expect(checkWorkspace(at("roots-beside"), roots)).rejects.toMatchObject({
    code: "workspace-refused",
    message: `workspace_path: ${at("roots-beside")} lies outside the directories that the policy of this server allows; the operator can add it to workspaceRoots in the file of DT_POLICY_FILE`,
  });
  await expect(checkWorkspace(at("roots"), roots)).rejects.toThrow("DT_WORKSPACE_ROOTS");
});

test("a root that leads through a link and up again means the real directory above [SEC-04]", async () => {
  using directories = openDirectories();
  const { at } = directories;
  mkdirSync(at("roots-beside/deep/er"), { recursive: true });
  symlinkSync(at("roots-beside/deep/er"), at("roots/far"));
  const root = `${at("roots/far")}/..`;

  expect(await outcomeOf(at("roots-beside/deep"), [root])).toBe(at("roots-beside/deep"));
  expect(await outcomeOf(at("roots/project"), [root])).toMatchObject({ code: "workspace-refused" });
});
