import { randomUUID } from "node:crypto";
import { DEVELOPMENT_TOOL_URI, type Part } from "@dt/schema";
import { createScriptedAgent, openTestServer, type TurnScript } from "@dt/server/testing";
import { expect, test } from "vitest";
import { post, readStream } from "../support/raw-rpc.js";
import { jsonOf } from "../ws-client.js";

const V1 = { "A2A-Version": "1.0" };
const file: Part = { type: "file", bytes: "iVBORw==", name: "graph.png", mediaType: "image/png" };
const data: Part = { type: "data", data: { findings: 2 } };

const say = (text: string, ids: object = {}) => ({
  message: { role: "ROLE_USER", messageId: randomUUID(), parts: [{ text }], ...ids },
});

async function openArtifactServer(script: TurnScript) {
  const server = await openTestServer({ openAgent: createScriptedAgent(script) });
  const call = async (method: string, params: object) =>
    (await jsonOf(await post(server.url, method, params, V1))).result;
  return { ...server, call };
}

test("the artifact of a reply has the reply's files and data, in both A2A versions", async () => {
  await using server = await openArtifactServer(async (turn) => {
    await turn.emit({ kind: "TEXT_CONTENT", text: "two findings", attachments: [file, data] });
  });

  const { task } = await server.call("SendMessage", say("review"));
  const older = await jsonOf(await post(server.url, "tasks/get", { id: task.id }));

  const answer = { artifactId: `${task.id}:answer`, name: "answer" };
  expect(task.artifacts).toEqual([
    {
      ...answer,
      parts: [
        { text: "two findings" },
        { raw: "iVBORw==", filename: "graph.png", mediaType: "image/png" },
        { data: { findings: 2 } },
      ],
    },
  ]);
  expect(older.result.artifacts).toEqual([
    {
      ...answer,
      parts: [
        { kind: "text", text: "two findings" },
        { kind: "file", file: { bytes: "iVBORw==", name: "graph.png", mimeType: "image/png" } },
        { kind: "data", data: { findings: 2 } },
      ],
    },
  ]);
});

/** Emits two artifacts and no text. The first artifact has two chunks. */
const giveArtifacts: TurnScript = async (turn) => {
  const report = { artifactId: "report", name: "report.md", description: "The review" };
  const rest: Part[] = [{ type: "text", text: "all fine" }, file];
  await turn.emit({
    kind: "ARTIFACT",
    artifact: { ...report, parts: [{ type: "text", text: "# " }] },
  });
  await turn.emit({ kind: "ARTIFACT", artifact: { artifactId: "findings", parts: [data] } });
  await turn.emit({
    kind: "ARTIFACT",
    artifact: { artifactId: "report", parts: rest },
    append: true,
    lastChunk: true,
  });
};

test.each([
  ["a plain client", {}],
  ["a client with the RFC's extension", { extensions: [DEVELOPMENT_TOOL_URI] }],
])("%s gets artifacts and chunks in the order the agent sent them", async (_, ids) => {
  await using server = await openArtifactServer(giveArtifacts);
  const settings = { [DEVELOPMENT_TOOL_URI]: { workspace_path: server.workspacePath } };
  const metadata = "extensions" in ids ? { metadata: settings } : {};

  const events = await readStream(
    await post(server.url, "SendStreamingMessage", say("go", { ...ids, ...metadata }), V1),
  );
  const updates = events.flatMap(({ json }) => json.result.artifactUpdate ?? []);
  const task = await server.call("GetTask", { id: events[0]?.json.result.task.id });

  expect(
    updates.map(({ artifact, append, lastChunk }) => [artifact.artifactId, append, lastChunk]),
  ).toEqual([
    ["report", undefined, undefined],
    ["findings", undefined, undefined],
    ["report", true, true],
  ]);
  expect(task.artifacts).toEqual([
    {
      artifactId: "report",
      name: "report.md",
      description: "The review",
      parts: [
        { text: "# all fine" },
        { raw: "iVBORw==", filename: "graph.png", mediaType: "image/png" },
      ],
    },
    { artifactId: "findings", parts: [{ data: { findings: 2 } }] },
  ]);
});

test("a subscriber can continue after the cursor of an artifact [LOG-02]", async () => {
  await using server = await openArtifactServer(giveArtifacts);
  const events = await readStream(await post(server.url, "SendStreamingMessage", say("go"), V1));
  const { id } = events[0]?.json.result.task ?? {};
  const [first] = events.filter(({ json }) => json.result.artifactUpdate);

  const rest = await readStream(
    await post(server.url, "SubscribeToTask", { id }, { ...V1, "Last-Event-ID": first?.id ?? "" }),
  );

  const [task, ...missed] = rest;
  const seen = events.indexOf(first ?? { id: "", json: "" });
  expect(missed).toEqual(events.slice(seen + 1));
  // The stream begins with the task as it was at the cursor, which contains only the first chunk.
  expect(task?.json.result.task.artifacts).toMatchObject([{ parts: [{ text: "# " }] }]);
});

test("ListTasks with includeArtifacts returns tasks with their artifacts", async () => {
  await using server = await openArtifactServer(giveArtifacts);

  const { task } = await server.call("SendMessage", say("go"));
  const listed = await server.call("ListTasks", { includeArtifacts: true });

  expect(listed.tasks).toMatchObject([{ id: task.id, artifacts: task.artifacts }]);
});
