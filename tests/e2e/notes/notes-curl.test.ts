// "The notes" are the protocol notes, one of the five source documents (docs/documents.md).
import { openTempWorkspace } from "@dt/agent-core/testing";
import { expect, test } from "vitest";
import { paste } from "../support/readme-commands.js";
import { startServerProcess } from "../support/server-process.js";

/** Starts the built dt-server. The function `curl` runs scripts of curl commands against this server. */
async function openCurl() {
  const workspace = await openTempWorkspace();
  const home = await openTempWorkspace();
  const server = await startServerProcess({
    DT_DATA_DIR: home.root,
    DT_WORKSPACE_ROOTS: workspace.root,
    CODER_AGENT_PORT: "0",
  });
  return {
    workspace,
    url: server.url,
    /** Runs a script of the notes with the address of this server. Returns the printed JSON. */
    async curl(script: string): Promise<Json[]> {
      const here = script.replaceAll("http://localhost:41242/", server.url);
      const lines = await paste(here, { cwd: workspace.root, home: home.root });
      return lines.map((line) => JSON.parse(line.replace(/^data: /, "")));
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await workspace[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
type Json = any;

const JSON_TYPE = "-H 'Content-Type: application/json'";
const CREATE =
  "think Create a file: I will create hello.txt then write hello.txt: hello then say I have created hello.txt";

test("curl can run the example flow of the protocol notes [SRV-01, SRV-04, SRV-06]", async () => {
  await using stage = await openCurl();
  const { root } = stage.workspace;

  const [task] = await stage.curl(`curl -s http://localhost:41242/tasks ${JSON_TYPE} -d '{
    "agentSettings": { "kind": "agent-settings", "workspacePath": "${root}" }
  }'`);
  const asked = await stage.curl(`curl -sN http://localhost:41242/message/stream ${JSON_TYPE} -d '{
    "taskId": "${task}",
    "userMessage": "${CREATE}",
    "agentSettings": { "kind": "agent-settings", "workspacePath": "${root}" }
  }'`);
  const question = asked.find(({ kind }) => kind === "tool-call-confirmation");
  const done = await stage.curl(`curl -sN http://localhost:41242/message/stream ${JSON_TYPE} -d '{
    "taskId": "${question.taskId}",
    "contextId": "${question.contextId}",
    "userMessage": {
      "kind": "tool-call-confirmation",
      "toolCallId": "${question.toolCallId}",
      "approved": true
    }
  }'`);

  expect(asked.map(({ kind, state, status }) => state ?? status ?? kind)).toEqual([
    "working",
    "thought",
    "PENDING",
    "tool-call-confirmation",
    "input-required",
  ]);
  expect(question).toMatchObject({
    toolName: "write_file",
    confirmationRequest: { title: anyText, prompt: anyText, type: "warning" },
  });
  expect(done.map(({ kind, state, status }) => state ?? status ?? kind)).toEqual([
    "working",
    "EXECUTING",
    "SUCCEEDED",
    "text-content",
    "completed",
  ]);
  expect(await stage.workspace.read("hello.txt")).toBe("hello");
});

const anyText = expect.any(String);

test("curl can read the card, metadata and commands as the notes describe them [SRV-03, SRV-05, SRV-08, SRV-25]", async () => {
  await using stage = await openCurl();
  const [{ taskId }] = await stage.curl("curl -s -X POST http://localhost:41242/tasks");

  const [card] = await stage.curl("curl -s http://localhost:41242/.well-known/agent-card.json");
  const [one] = await stage.curl(`curl -s http://localhost:41242/tasks/${taskId}/metadata`);
  const [all] = await stage.curl("curl -s http://localhost:41242/tasks/metadata");
  const [listed] = await stage.curl("curl -s http://localhost:41242/listCommands");
  const [shown] = await stage.curl(
    `curl -s http://localhost:41242/executeCommand ${JSON_TYPE} -d '{"command": "extensions list", "args": []}'`,
  );

  expect(card).toMatchObject({
    name: anyText,
    description: anyText,
    url: stage.url,
    capabilities: { streaming: true, stateTransitionHistory: true },
    skills: [
      {
        id: "code_generation",
        name: "Code Generation",
        tags: ["code", "development", "programming"],
      },
    ],
  });
  expect(one).toMatchObject({ metadata: { id: taskId, taskState: "submitted", model: "offline" } });
  expect(all).toEqual([one.metadata]);
  expect(listed.commands.map(({ name }: Json) => name)).toContain("memory");
  expect(shown).toEqual({ name: "extensions list", data: "there are no extensions" });
});
