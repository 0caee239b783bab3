// The VS Code example serves its editor to the agent of a real dt-server.
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { openTempWorkspace } from "@dt/agent-core/testing";
import { afterAll, expect, test } from "vitest";
import { startServerProcess } from "./support/server-process.js";
import { createState, openWindow, type VscodeWindow } from "./support/vscode-stand-in.js";

const workspace = await openTempWorkspace();
const server = await startServerProcess({
  DT_DATA_DIR: path.join(workspace.root, "data"),
  DT_WORKSPACE_ROOTS: workspace.root,
  CODER_AGENT_PORT: "0",
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await workspace[Symbol.asyncDispose]();
});

interface ShownCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly status: string;
  readonly description?: string;
  readonly result?: {
    readonly value: { readonly message?: string; readonly result?: { readonly value: string } };
  };
}

function callsIn({ editor }: VscodeWindow): readonly ShownCall[] {
  const items = (editor.chat?.items ?? []) as readonly {
    readonly event: { readonly kind: string; readonly toolCall: ShownCall };
  }[];
  return items.flatMap(({ event }) => (event.kind === "TOOL_CALL_UPDATE" ? [event.toolCall] : []));
}

/** Runs tools and answers their questions; returns the tool calls that asked a question. */
async function run(window: VscodeWindow, tools: readonly string[], optionId = "proceed_once") {
  const { editor } = window;
  const asked = new Map<string, ShownCall>();
  const last = `end of ${tools.join()} ${randomUUID()}`;
  const calls = tools.map((tool) => `call ${tool} {} then `).join("");
  editor.act({ type: "submit", text: `${calls}say ${last}` });
  await editor.until(() => {
    for (const call of callsIn(window)) {
      if (call.status !== "PENDING" || asked.has(call.toolCallId)) continue;
      asked.set(call.toolCallId, call);
      editor.act({ type: "answer", toolCallId: call.toolCallId, optionId });
    }
    const { event } = (editor.chat?.items.at(-1) ?? {}) as { event?: { text?: string } };
    return editor.chat?.turn === "completed" && event?.text === last;
  });
  return [...asked.values()];
}

/** Returns the results of the tools as parsed values. */
function resultsIn(window: VscodeWindow) {
  return Object.fromEntries(
    callsIn(window)
      .filter(({ toolName }) => toolName.startsWith("get_"))
      .map(({ toolName, result }) => [toolName, JSON.parse(textOfResult(result))]),
  );
}

function textOfResult(result: ShownCall["result"]): string {
  return result?.value?.result?.value ?? result?.value?.message ?? "";
}

test("the agent reads an unsaved buffer, the selection and the problems after an answer [RFC-25]", async () => {
  const file = path.join(workspace.root, "notes.txt");
  await writeFile(file, "saved");
  const window = await openWindow(server.url, workspace.root, createState());
  window.editor.type(file, "not saved\nsecond line", "second");

  const asked = await run(window, ["get_active_editor", "get_selection", "get_diagnostics"]);
  const [start] = asked;
  const { url = "" } = /(?<url>http:\S+)/.exec(start?.description ?? "")?.groups ?? {};
  const isServed = () =>
    fetch(url).then(
      ({ status }) => status,
      () => "closed",
    );
  const before = await isServed();
  window.close();

  expect(asked.map(({ toolName }) => toolName)).toEqual([
    "start_mcp_server",
    "get_active_editor",
    "get_selection",
    "get_diagnostics",
  ]);
  expect(start?.description).toMatch(
    /server editor at http:\/\/127\.0\.0\.1:\d+\/mcp with the headers/,
  );
  expect(resultsIn(window)).toEqual({
    get_active_editor: {
      filePath: file,
      language: "plaintext",
      isUnsaved: true,
      firstLine: 1,
      text: "not saved\nsecond line",
      isTruncated: false,
    },
    get_selection: {
      filePath: file,
      firstLine: 2,
      lastLine: 2,
      text: "second",
      isTruncated: false,
    },
    get_diagnostics: {
      problems: [
        { filePath: file, line: 2, severity: "warning", message: "a typo", source: "spelling" },
      ],
      isTruncated: false,
    },
  });
  expect([before, await isServed()]).toEqual([401, "closed"]);
});

test("the agent does not get the buffer if the person refuses [RFC-25, SEC-04]", async () => {
  const window = await openWindow(server.url, workspace.root, createState());
  window.editor.type(path.join(workspace.root, "b.txt"), "private", "private");

  const [refused] = await run(window, ["get_active_editor"], "cancel");
  window.close();

  expect(refused?.toolName).toBe("start_mcp_server");
  expect(JSON.stringify(window.editor.chat?.items)).not.toContain("private");
});

test("after the window is reloaded, the conversation can still read the editor's buffers [RFC-25]", async () => {
  const state = createState();
  const file = path.join(workspace.root, "c.txt");
  const first = await openWindow(server.url, workspace.root, state);
  first.editor.type(file, "before", "before");
  await run(first, ["get_active_editor"]);
  first.close();

  const second = await openWindow(server.url, workspace.root, state);
  second.editor.type(file, "after the reload", "after");
  second.editor.act({ type: "ready" });
  await second.editor.until(() => second.editor.chat?.turn === "completed");
  await run(second, ["get_active_editor"]);
  second.close();

  const texts = callsIn(second)
    .filter(({ toolName }) => toolName === "get_active_editor")
    .map(({ result }) => JSON.parse(textOfResult(result)).text);
  expect(texts).toEqual(["before", "after the reload"]);
});
