import type { ExternalCall } from "@dt/schema";
import { expect, test } from "vitest";
import { openTempWorkspace } from "../../testing/temp-workspace.js";
import { planCall } from "./plan-call.js";
import { policyNamesOf } from "./policy-names.js";

async function actionsOf(call: Omit<ExternalCall, "id">) {
  await using workspace = await openTempWorkspace();
  const scope = { workspace, environment: { PATH: "/usr/bin:/bin" } };
  const { actions, details } = await planCall({ id: "1", ...call }, scope);
  const text = JSON.stringify({ actions, details }).replaceAll(workspace.root, "/w");
  return JSON.parse(text);
}

test.each<[string, Omit<ExternalCall, "id">, readonly unknown[]]>([
  [
    "an edit",
    { kind: "edit", paths: ["a.txt"] },
    [{ type: "edit", path: "/w/a.txt", isInside: true }],
  ],
  [
    "a deletion outside the workspace",
    { kind: "delete", paths: ["/etc/x"] },
    [{ type: "edit", path: "/etc/x", isInside: false }],
  ],
  [
    "an edit of a protected file",
    { kind: "edit", paths: [".git/hooks/pre-commit"] },
    [{ type: "edit", path: "/w/.git/hooks/pre-commit", isInside: true, isProtected: true }],
  ],
  [
    "a read that shows a diff",
    { kind: "read", diffs: [{ path: "a.txt", newText: "x" }] },
    [{ type: "edit", path: "/w/a.txt", isInside: true }],
  ],
  [
    "a request that shows a diff",
    {
      kind: "fetch",
      input: { url: "https://a.example/" },
      diffs: [{ path: "a.txt", newText: "x" }],
    },
    [
      { type: "fetch", url: "https://a.example/" },
      { type: "edit", path: "/w/a.txt", isInside: true },
    ],
  ],
  [
    "a search",
    { kind: "search", paths: ["."] },
    [{ type: "read", path: "/w", isInside: true, isDeep: true }],
  ],
  [
    "a request",
    { kind: "fetch", input: { url: "https://a.example/" } },
    [{ type: "fetch", url: "https://a.example/" }],
  ],
])("%s is judged by the agent's description of the call", async (_name, call, actions) => {
  expect((await actionsOf(call)).actions).toEqual(actions);
});

test.each<[string, Omit<ExternalCall, "id">]>([
  ["without a kind", { title: "Do something" }],
  ["that names no file to edit", { kind: "edit", title: "Do something" }],
  ["that names no command to run", { kind: "execute", title: "Do something" }],
  [
    "that reads too many files",
    { kind: "read", paths: Array.from({ length: 101 }, (_, at) => `${at}`) },
  ],
])("a call %s is an unknown action, which asks every time", async (_name, call) => {
  expect((await actionsOf(call)).actions).toEqual([
    expect.objectContaining({ type: "other", isProtected: true }),
  ]);
});

test('"always" for a command of an agent covers exactly that command', async () => {
  const { actions, details } = await actionsOf({
    kind: "execute",
    input: { command: ["ls", "my file"], cwd: "." },
  });

  expect(actions).toMatchObject([
    { type: "execute", command: "ls 'my file'", directory: "/w", cover: { type: "exact" } },
  ]);
  expect(details.value).toEqual({ command: "ls 'my file'", workingDirectory: "/w" });
});

test("if a command has a diff, its question shows the command, and its plan has the edit too [SEC-06]", async () => {
  const { actions, details } = await actionsOf({
    kind: "execute",
    title: "Edit a.txt",
    input: { command: "make" },
    diffs: [{ path: ".git/config", newText: "x" }],
  });

  expect(actions).toMatchObject([
    { type: "execute", command: "make" },
    { type: "edit", path: "/w/.git/config", isProtected: true },
  ]);
  expect(details).toEqual({
    $case: "executeDetails",
    value: { command: "make", workingDirectory: "/w" },
  });
});

test.each<[Omit<ExternalCall, "id">, readonly string[]]>([
  [{ kind: "execute" }, ["run_shell_command"]],
  [{ kind: "execute", diffs: [{ path: "a", newText: "x" }] }, ["run_shell_command", "write_file"]],
  [{ kind: "edit", diffs: [{ path: "a", newText: "x" }] }, ["write_file"]],
  [{ kind: "read", diffs: [{ path: "a", newText: "x" }] }, ["read_file", "write_file"]],
  [{ toolName: "deploy" }, ["deploy"]],
])("the policy must allow everything that the call %j does [SEC-10]", (call, names) => {
  expect(policyNamesOf({ id: "1", ...call })).toEqual(names);
});
