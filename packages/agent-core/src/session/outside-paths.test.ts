import { chmod, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Caller, PermissionMode, SessionEvent } from "@dt/schema";
import { expect, test } from "vitest";
import { openMemoryLedger } from "../ledger/memory-ledger.js";
import type { ModelRequest } from "../model/model.js";
import { openDrivenSession } from "../testing/drive-session.js";
import { callTool } from "../testing/scripted-model.js";
import { openTempWorkspace } from "../testing/temp-workspace.js";
import { createBuiltinTools } from "../tools/builtin/builtin-tools.js";
import { openWorkspace } from "../workspace/workspace.js";

const alice: Caller = { user: "alice", name: "Alice", role: "approve" };
const secret = "key=k3y\nkey=k3y\nkey=other\n";

/** Paths of a test; `target` is the path that the model tries to use. */
interface TestPaths {
  readonly workspace: string;
  readonly out: string;
  readonly target: string;
}

/** Creates a file, directory or link at the target. Resolves with the real path if the target is a link. */
type Prepare = (paths: TestPaths) => Promise<unknown>;

const kinds: Readonly<Record<string, Prepare>> = {
  "a file": ({ target }) => writeFile(target, secret),
  "an empty file": ({ target }) => writeFile(target, ""),
  "a large file": ({ target }) => writeFile(target, "k".repeat(2_000_001)),
  "a binary file": ({ target }) => writeFile(target, Buffer.from([1, 0, 2])),
  "a file without read permission": async ({ target }) => {
    await writeFile(target, secret);
    await chmod(target, 0o000);
  },
  "a directory": async ({ target }) => {
    await mkdir(target);
    await writeFile(path.join(target, "key"), secret);
  },
  "a directory without permissions": ({ target }) => mkdir(target, { mode: 0o000 }),
  "a link to a file": async ({ out, target }) => {
    await writeFile(path.join(out, "real-file"), secret);
    await symlink("real-file", target);
    return path.join(out, "real-file");
  },
  "a link to nothing": async ({ out, target }) => {
    await symlink("real-none", target);
    return path.join(out, "real-none");
  },
  "a link into the workspace": async ({ workspace, target }) => {
    await writeFile(path.join(workspace, "real-inside"), secret);
    await symlink(path.join(workspace, "real-inside"), target);
    return path.join(workspace, "real-inside");
  },
  "a link to itself": ({ target }) => symlink("target-path", target),
  "below a file": async ({ out }) => {
    await rm(out, { recursive: true });
    await writeFile(out, secret);
  },
  "in a directory without permissions": async ({ out, target }) => {
    await writeFile(target, secret);
    await chmod(out, 0o000);
  },
};

const calls = (target: string) => [
  callTool("replace", { file_path: target, old_string: "key=k", new_string: "x" }),
  callTool("replace", { file_path: target, old_string: "key=o", new_string: "x" }),
  callTool("replace", { file_path: target, old_string: "zzz", new_string: "x" }),
  callTool("replace", { file_path: target, old_string: "", new_string: "x" }),
  callTool("write_file", { file_path: target, content: "x\n" }),
  callTool("read_file", { file_path: target }),
  callTool("list_directory", { path: target }),
  callTool("glob", { pattern: "**", path: target }),
  callTool("search_file_content", { pattern: "key", path: target }),
  callTool("run_shell_command", { command: "ls", directory: target }),
];

/** Tries every tool call on one target, refuses each question, and returns all output as lines. */
async function attack(mode: PermissionMode, prepare: Prepare, name = "target-path") {
  await using outer = await openTempWorkspace();
  const root = path.join(outer.root, "ws");
  const out = path.join(outer.root, "out");
  const target = path.join(out, name);
  await Promise.all([root, out].map((directory) => mkdir(directory)));
  const prepared = await prepare({ workspace: root, out, target });
  const real = typeof prepared === "string" ? prepared : target;
  const requests: ModelRequest["history"][] = [];
  const script = calls(target);
  const ledger = openMemoryLedger();
  let ids = 0;
  const session = await openDrivenSession({
    model: {
      name: "attacker",
      async *stream({ history }) {
        requests.push(history);
        // Each turn makes the same call twice: once before the refusal and once after it.
        const steps = requests.length - 1;
        const call = script[Math.floor(steps / 3)];
        if (call !== undefined && steps % 3 < 2) yield call;
      },
    },
    tools: createBuiltinTools({
      environment: {},
      outputDirectory: path.join(outer.root, "output"),
      memoryFile: path.join(outer.root, "memory"),
    }),
    workspace: await openWorkspace(root),
    ledger,
    mode,
    createId: () => `id-${++ids}`,
  });
  for (const at of script.keys()) {
    const taskId = `task-${at}`;
    await session.prompt(
      { messageId: taskId, taskId, parts: [{ type: "text", text: "go" }] },
      alice,
    );
    const hasStopped = (event: SessionEvent) =>
      event.kind === "STATE_CHANGE" && event.state !== "working" && event.taskId === taskId;
    for await (const event of ledger.read()) {
      if (!hasStopped(event) || event.kind !== "STATE_CHANGE") continue;
      const [question] = event.waiting ?? [];
      if (question === undefined) break;
      const { toolCallId } = question;
      await session.answer(
        { toolCallId, selectedOptionId: "cancel", modifiedDetails: undefined },
        alice,
      );
    }
  }
  await session.close();
  await chmod(out, 0o755);
  // Only the person may see the target of a link, never the model.
  if (real !== target) {
    expect(JSON.stringify(requests)).not.toContain(real);
    expect(JSON.stringify(refusedWithoutQuestion(ledger.events))).not.toContain(real);
  }
  const output = JSON.stringify({ events: ledger.events, requests }, undefined, 1);
  return [real, target]
    .reduce((text, each) => text.replaceAll(each, "TARGET"), output)
    .replaceAll(path.basename(real), "NAME")
    .replaceAll(outer.root, "OUTER")
    .replaceAll(/"(at|time|timestamp)": ?("[^"]*"|\d+)/g, "TIME")
    .split("\n");
}

/** Returns the updates of calls that were refused without a question. */
function refusedWithoutQuestion(events: readonly SessionEvent[]) {
  const updates = events.filter((event) => event.kind === "TOOL_CALL_UPDATE");
  const asked = updates
    .filter(({ toolCall }) => toolCall.confirmationRequest !== undefined)
    .map(({ toolCall }) => toolCall.toolCallId);
  return updates.filter(({ toolCall }) => !asked.includes(toolCall.toolCallId));
}

const baselines = new Map<PermissionMode, ReturnType<typeof attack>>();

/** Returns the output for a path that does not exist. */
function baseline(mode: PermissionMode): ReturnType<typeof attack> {
  const output = baselines.get(mode) ?? attack(mode, async () => {});
  baselines.set(mode, output);
  return output;
}

const modes = ["default", "auto-edit", "plan"] as const;

test.each([
  ["default", 10],
  ["auto-edit", 10],
  ["plan", 4],
] as const)(
  "in %s mode %d of the ten calls ask before they use a path outside the workspace",
  async (mode, count) => {
    const output = await baseline(mode);

    expect(output.filter((line) => line.includes('"confirmationRequest"'))).toHaveLength(2 * count);
  },
);

test.each(modes.flatMap((mode) => Object.keys(kinds).map((kind) => [mode, kind] as const)))(
  "in %s mode no output reveals that a path outside the workspace is %s [SEC-06]",
  async (mode, kind) => {
    const output = await attack(mode, kinds[kind]!);

    expect(output).toEqual(await baseline(mode));
    expect(output.join("\n")).not.toContain("k3y");
  },
);

test("no output reveals that a name outside the workspace is too long [SEC-06]", async () => {
  const output = await attack("default", async () => {}, "x".repeat(300));

  expect(output).toEqual(await baseline("default"));
});
