import { expect, test } from "vitest";
import { post } from "../support/raw-rpc.js";
import {
  buildAnswer,
  buildMessage,
  buildPrompt,
  findAskedCall,
  openDialectStage,
  request,
  say,
} from "./open-dialect-stage.js";

/** Opens a stage with a Gemini dialect task that has an open question about a file. */
async function openAskingStage() {
  const stage = await openDialectStage({
    answers: () => [request(["write_file", { file_path: "a.txt", content: "x" }]), say("done")],
  });
  const asked = await stage.stream(buildPrompt("go", undefined, { workspacePath: stage.root }));
  const [{ id, contextId }] = asked;
  return { ...stage, task: { id, contextId }, callId: findAskedCall(asked) };
}

type Stage = Awaited<ReturnType<typeof openAskingStage>>;

test.each<[string, (stage: Stage) => object, number, string]>([
  [
    "an answer to an unknown tool call",
    ({ task }) => buildAnswer("no-such-call", "cancel", task),
    -32052,
    "no-such",
  ],
  [
    "an unknown outcome",
    ({ task, callId }) => buildAnswer(callId, "whatever", task),
    -32602,
    "parts[0].data.outcome",
  ],
  [
    "the outcome modify_with_editor",
    ({ task, callId }) => buildAnswer(callId, "modify_with_editor", task, "x"),
    -32602,
    "newContent",
  ],
  [
    "an answer without an outcome",
    ({ task, callId }) => buildAnswer(callId, "", task),
    -32602,
    "outcome: required",
  ],
  [
    "an answer without a task id",
    ({ callId }) => buildMessage([{ kind: "data", data: { callId, outcome: "cancel" } }]),
    -32602,
    "message.taskId",
  ],
  [
    "the id of an unknown task",
    () => buildAnswer("c", "cancel", { id: "no-such-task", contextId: "c" }),
    -32001,
    "no-such-task",
  ],
  [
    "another workspace",
    ({ task }) => buildPrompt("go", task, { workspacePath: "/" }),
    -32053,
    "works only in",
  ],
  [
    "a relative workspace",
    () => buildPrompt("go", undefined, { workspacePath: "a" }),
    -32602,
    "absolute",
  ],
  [
    "settings of a wrong type",
    () => buildPrompt("go", undefined, { workspacePath: [] }),
    -32602,
    "coderAgent.workspacePath",
  ],
  ["no parts", () => buildMessage([], undefined, {}), -32602, "message.parts"],
])(
  "a message with %s is refused with an error event, and the question stays open",
  async (_, build, code, says) => {
    await using stage = await openAskingStage();

    const response = await stage.rpc("message/stream", { message: build(stage) });
    const text = await response.text();
    const answered = await stage.stream(buildAnswer(stage.callId, "proceed_once", stage.task));

    expect(response.status).toBe(200);
    expect(text).toMatch(/^event: error\ndata: /m);
    expect(text).toContain(`"code":${code}`);
    expect(text).toContain(says);
    expect(answered.at(-1)).toMatchObject({ status: { state: "input-required" }, final: true });
    expect(stage.faults).toEqual([]);
  },
);

test("a second answer to a question is refused with the option that was chosen first [CLI-14]", async () => {
  await using stage = await openAskingStage();
  await stage.stream(buildAnswer(stage.callId, "cancel", stage.task));

  const late = await stage.stream(buildAnswer(stage.callId, "proceed_once", stage.task));

  expect(late).toMatchObject([{ error: { code: -32050, data: { selectedOptionId: "cancel" } } }]);
  await expect(stage.workspace.read("a.txt")).rejects.toThrow();
});

test("a refusal of message/send is a JSON-RPC error with status 200", async () => {
  await using stage = await openAskingStage();
  const message = buildAnswer("no-such-call", "cancel", stage.task);

  const response = await stage.rpc("message/send", { message });

  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ id: 7, error: { code: -32052 } });
});

test("a subscription after an unknown cursor is refused [LOG-02]", async () => {
  await using stage = await openAskingStage();

  const response = await post(
    stage.url,
    "tasks/resubscribe",
    { id: stage.task.id },
    { "Last-Event-ID": "999.x" },
  );

  expect(await response.text()).toContain('"code":-32056');
});

test.each<[string, RequestInit, number, number]>([
  ["bad JSON", { body: "{bad json" }, 400, -32700],
  ["another content type", { body: "{}", headers: { "Content-Type": "text/plain" } }, 415, -32005],
  ["a body that is too large", { body: JSON.stringify("x".repeat(200_000)) }, 413, -32054],
])(
  "a request with %s is refused with an HTTP status and a JSON-RPC code",
  async (_, init, status, code) => {
    await using stage = await openDialectStage({
      answers: () => [],
      server: { maxBodyBytes: 100_000 },
    });

    const headers = { "Content-Type": "application/json" };
    const response = await fetch(stage.url, { method: "POST", headers, ...init });

    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ id: null, error: { code } });
  },
);

test("a server that requires our extension refuses a message in the Gemini dialect", async () => {
  await using stage = await openDialectStage({
    answers: () => [],
    server: { isExtensionRequired: true },
  });

  const frames = await stage.stream(buildPrompt("go", undefined, { workspacePath: stage.root }));

  expect(frames).toMatchObject([{ error: { code: -32008 } }]);
});
