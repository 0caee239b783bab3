import { randomUUID } from "node:crypto";
import { buildQuestion } from "@dt/schema/testing";
import { createScriptedAgent, openTestServer } from "@dt/server/testing";
import { expect, test } from "vitest";
import { openStage } from "../support/open-stage.js";
import { post, readStream } from "../support/raw-rpc.js";
import { jsonOf } from "../ws-client.js";

const V1 = { "A2A-Version": "1.0" };

const say = (...parts: readonly object[]) => ({
  message: { role: "ROLE_USER", messageId: randomUUID(), parts },
});

test("the history keeps the media type, file name and metadata of every part", async () => {
  await using server = await openTestServer();
  const label = { mediaType: "text/markdown", filename: "a.md", metadata: { from: "test" } };
  const parts = [
    { text: "# hi", ...label },
    { data: { a: 1 }, ...label, mediaType: "application/json" },
    { raw: "eA==", ...label },
    { url: "http://a.test/x", ...label, mediaType: "image/png" },
  ];

  const { result } = await jsonOf(await post(server.url, "SendMessage", say(...parts), V1));
  const got = await jsonOf(await post(server.url, "GetTask", { id: result.task.id }, V1));
  const older = await jsonOf(await post(server.url, "tasks/get", { id: result.task.id }));

  expect(got.result.history[0].parts).toEqual(parts);
  const { mediaType: mimeType, filename: name, metadata } = label;
  expect(older.result.history[0].parts).toEqual([
    { kind: "text", text: "# hi", metadata },
    { kind: "data", data: { a: 1 }, metadata },
    { kind: "file", file: { bytes: "eA==", name, mimeType }, metadata },
    { kind: "file", file: { uri: "http://a.test/x", name, mimeType: "image/png" }, metadata },
  ]);
});

test("every status message has a task id, a context id and a unique message id", async () => {
  const openAgent = createScriptedAgent(async (turn) => {
    await turn.say("first ");
    await turn.ask(buildQuestion());
  });
  await using server = await openTestServer({ openAgent });

  const events = await readStream(
    await post(server.url, "SendStreamingMessage", say({ text: "go" }), V1),
  );
  const { id: taskId, contextId } = events[0]?.json.result.task ?? {};
  const { result } = await jsonOf(await post(server.url, "GetTask", { id: taskId }, V1));
  const older = await jsonOf(await post(server.url, "tasks/get", { id: taskId }));

  const messages = events.flatMap(({ json }) => json.result.statusUpdate?.status.message ?? []);
  expect(messages).toMatchObject(messages.map(() => ({ taskId, contextId })));
  expect(new Set(messages.map(({ messageId }) => messageId)).size).toBe(2);
  // The status of the task is the status of the last update.
  expect(result.status.message).toEqual(messages.at(-1));
  expect(older.result.status.message).toMatchObject({ taskId, contextId });
});

test.each([
  ["a file", { raw: "eA==", mediaType: "application/pdf" }],
  ["a text part", { text: "x", mediaType: "application/x-tar" }],
  ["a URL", { url: "http://a.test/v", mediaType: "video/mp4" }],
])("%s with a media type that the card does not list is refused", async (_, part) => {
  await using server = await openTestServer();
  const card = await jsonOf(await fetch(`${server.url}.well-known/agent-card.json`));

  const refused = await jsonOf(await post(server.url, "SendMessage", say({ text: "a" }, part), V1));
  const list = await jsonOf(await post(server.url, "ListTasks", {}, V1));

  expect(refused.error).toMatchObject({
    code: -32005,
    message: expect.stringContaining(`message.parts[1].mediaType: ${part.mediaType} is not`),
    data: [
      { reason: "CONTENT_TYPE_NOT_SUPPORTED" },
      { value: { inputModes: card.defaultInputModes } },
    ],
  });
  expect(list.result.totalSize).toBe(0);
});

test("a listed media type is accepted, even in capitals or with parameters", async () => {
  await using server = await openTestServer();
  const parts = ["text/plain; charset=utf-8", "IMAGE/PNG", "text/x-python", "application/json"].map(
    (mediaType) => ({ raw: "eA==", mediaType }),
  );

  const { result } = await jsonOf(
    await post(server.url, "SendMessage", say({ text: "a" }, { raw: "eA==" }, ...parts), V1),
  );

  expect(result.task.status.state).toBe("TASK_STATE_COMPLETED");
});

test("a server with configured input modes lists them in its card and refuses other files", async () => {
  await using stage = await openStage({ server: { inputModes: ["application/pdf"] } });
  const card = await jsonOf(await fetch(`${stage.url}.well-known/agent-card.json`));
  const pdf = { raw: "eA==", mediaType: "application/pdf" };
  const png = { raw: "eA==", mediaType: "image/png" };
  const send = async (part: object) =>
    await jsonOf(await post(stage.url, "SendMessage", say({ text: "say a" }, part), V1));

  expect(card.defaultInputModes).toEqual(["application/pdf"]);
  expect((await send(pdf)).result.task.status.state).toBe("TASK_STATE_COMPLETED");
  expect((await send(png)).error.code).toBe(-32005);
});

test("a task lists each change of its state with a timestamp, in both A2A versions [SRV-07]", async () => {
  const openAgent = createScriptedAgent(async (turn) => {
    if (turn.text === "ask") await turn.ask(buildQuestion());
  });
  await using server = await openTestServer({ openAgent });
  const sent = await jsonOf(await post(server.url, "SendMessage", say({ text: "ask" }), V1));
  const { id } = sent.result.task;
  await post(server.url, "CancelTask", { id }, V1);

  const newer = (await jsonOf(await post(server.url, "GetTask", { id }, V1))).result;
  const older = (await jsonOf(await post(server.url, "tasks/get", { id }))).result;

  const key = "urn:dt:extension:session:v0.1";
  const at = { timestamp: expect.stringMatching(/^\d{4}-.*Z$/) };
  // The second WORKING is the report of the cancelled tool call, which comes before CANCELED.
  const states = ["SUBMITTED", "WORKING", "INPUT_REQUIRED", "WORKING", "CANCELED"];
  expect(newer.metadata[key].transitions).toEqual(
    states.map((state) => ({ state: `TASK_STATE_${state}`, ...at })),
  );
  expect(older.metadata[key].transitions).toEqual(
    states.map((state) => ({ state: state.toLowerCase().replace("_", "-"), ...at })),
  );
  expect(newer.metadata[key].transitions.at(-1).timestamp).toBe(newer.status.timestamp);
});
