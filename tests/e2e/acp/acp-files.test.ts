import { writeFile } from "node:fs/promises";
import path from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { expect, test } from "vitest";
import { choose, openEditor } from "./open-editor.js";

const FS = { fs: { readTextFile: true, writeTextFile: true } };

test("the agent reads unsaved text, and writes through the editor after an approval [ACP-01]", async () => {
  await using home = await openTempWorkspace();
  await using workspace = await openTempWorkspace();
  await writeFile(path.join(workspace.root, "a.txt"), "on disk\n");
  const calls: string[] = [];
  await using editor = await openEditor({
    home: home.root,
    capabilities: FS,
    async answer(request) {
      calls.push("ask");
      return await choose("allow_once")(request);
    },
    readText: () => "not saved\n",
    writeText: (file, text) => void calls.push(`write ${file.split("/").at(-1)} ${text}`),
  });
  const sessionId = await editor.open(workspace.root);

  await editor.prompt(sessionId, "read a.txt");
  await editor.prompt(sessionId, "write a.txt: changed");
  await editor.prompt(sessionId, "write folder/new.txt: fresh");

  const [read, , , written] = editor.updates.filter(
    (update) => update.sessionUpdate === "tool_call_update" && update.status === "completed",
  );
  expect(read).toMatchObject({ rawOutput: { text: "not saved\n" } });
  expect(editor.questions[0]?.toolCall.content).toEqual([
    expect.objectContaining({ type: "diff", oldText: "not saved\n", newText: "changed" }),
  ]);
  expect(written).toBeUndefined();
  expect(calls).toEqual(["ask", "write a.txt changed", "ask", "write new.txt fresh"]);
  expect(await workspace.read("a.txt")).toBe("on disk\n");
});

test("a call fails and writes nothing if the editor refuses the write [ACP-01]", async () => {
  await using home = await openTempWorkspace();
  await using workspace = await openTempWorkspace();
  await writeFile(path.join(workspace.root, "a.txt"), "old");
  await using editor = await openEditor({
    home: home.root,
    args: ["--yolo"],
    capabilities: { fs: { writeTextFile: true } },
    writeText() {
      throw new Error("read only");
    },
  });

  await editor.prompt(await editor.open(workspace.root), "write a.txt: changed");

  const failed = await editor.update(
    (update) => update.sessionUpdate === "tool_call_update" && update.status === "failed",
  );
  expect(JSON.stringify(failed)).toContain("the editor did not write a.txt");
  expect(await workspace.read("a.txt")).toBe("old");
});

test("an editor that does not declare access to files gets no requests about files [ACP-01]", async () => {
  await using home = await openTempWorkspace();
  await using workspace = await openTempWorkspace();
  await writeFile(path.join(workspace.root, "a.txt"), "on disk");
  const asked: string[] = [];
  await using editor = await openEditor({
    home: home.root,
    args: ["--yolo"],
    readText: (file) => {
      asked.push(file);
      return "";
    },
    writeText: (file) => void asked.push(file),
  });
  const sessionId = await editor.open(workspace.root);

  await editor.prompt(sessionId, "read a.txt then write b.txt: b");
  await editor.agent.request(methods.agent.session.close, { sessionId });

  expect(asked).toEqual([]);
  expect(await workspace.read("b.txt")).toBe("b");
});
