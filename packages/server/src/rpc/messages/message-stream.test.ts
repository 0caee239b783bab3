import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import path from "node:path";
import {
  DEFAULT_EXTENSION_URIS,
  DEVELOPMENT_TOOL_URI,
  type OpenAgent,
  SESSION_URI,
} from "@dt/schema";
import { buildQuestion } from "@dt/schema/testing";
import { createDialects } from "@dt/schema/wire";
import { expect, test } from "vitest";
import { createScriptedAgent } from "../../testing/fake-agent.js";
import { openTestServer, type TestServerOptions } from "../../testing/open-test-server.js";
import type { RpcContext } from "../rpc-context.js";
import { deliverMessage } from "./deliver-message.js";

// biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
type Json = any;

const both = { "X-A2A-Extensions": `${DEVELOPMENT_TOOL_URI}, ${SESSION_URI}` };
const tool = { "X-A2A-Extensions": DEVELOPMENT_TOOL_URI };

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** Opens a server, and creates functions that send messages in A2A 0.3 and 1.0. */
async function openStage(options: TestServerOptions = {}) {
  const server = await openTestServer(options);
  const call = async (method: string, params: unknown, headers: object = {}): Promise<Json> => {
    const response = await fetch(server.url, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const text = await response.text();
    if (!text.includes("data:")) return JSON.parse(text);
    const lines = text.split("\n").filter((line) => line.startsWith("data: "));
    return lines.map((line) => JSON.parse(line.slice(6)).result);
  };
  const inWorkspace = (workspace = server.workspacePath) => ({
    metadata: { [DEVELOPMENT_TOOL_URI]: { workspace_path: workspace } },
  });
  return {
    server,
    call,
    inWorkspace,
    /** Sends a message with message/send; returns the task or the error. */
    async send(text: string, about: object = {}, headers: object = {}): Promise<Json> {
      const { result, error } = await call("message/send", { message: say(text, about) }, headers);
      return result ?? error;
    },
    /** Sends a message with SendMessage; returns the task or the error. */
    async sendV1(text: string, about: object = {}, headers: object = {}): Promise<Json> {
      const { kind: _, ...message } = say(text, about);
      const params = { message: { ...message, role: "ROLE_USER", parts: [{ text }] } };
      const { result, error } = await call("SendMessage", params, headers);
      return result?.task ?? error;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function say(text: string, about: object = {}) {
  return {
    kind: "message",
    role: "user",
    messageId: randomUUID(),
    parts: [{ kind: "text", text }],
    ...about,
  };
}

const textsOf = (task: Json): string[] =>
  task.history.flatMap(({ role, parts }: Json) =>
    parts.map(({ text }: Json) => `${role}: ${text}`),
  );

/** An agent that asks two questions if the prompt is "ask", and then says the answers. */
const askingAgent = createScriptedAgent(async (turn) => {
  if (turn.text !== "ask") return void (await turn.say(`did ${turn.text}`));
  const answers = await turn.ask(buildQuestion(), buildQuestion({ toolCallId: "call-2" }));
  await turn.say(`chosen: ${answers.map((answer) => answer.selectedOptionId).join(" ")}`);
});

type Choice = readonly [call: string, option: string];
const answerParts = (...chosen: readonly Choice[]) => ({
  parts: chosen.map(([tool_call_id, selected_option_id]) => ({
    kind: "data",
    data: { tool_call_id, selected_option_id },
    metadata: { [DEVELOPMENT_TOOL_URI]: { kind: "TOOL_CALL_CONFIRMATION" } },
  })),
});

test("a message goes to a new session, a new task of a session, or an existing task [RFC-27]", async () => {
  await using stage = await openStage();
  const { send, inWorkspace } = stage;

  const first = await send("one", inWorkspace(), tool);
  const { id: taskId, contextId } = first;
  const beside = await send("two", { contextId }, tool);
  const further = await send("three", { taskId, contextId }, tool);
  const elsewhere = await send("four", { contextId: "my-own", ...inWorkspace() }, tool);

  expect(beside).toMatchObject({ contextId, status: { state: "completed" } });
  expect(beside.id).not.toBe(taskId);
  expect(textsOf(beside)).toEqual(["user: two", "agent: two"]);
  expect(further.id).toBe(taskId);
  expect(textsOf(further)).toEqual(["user: one", "agent: one", "user: three", "agent: three"]);
  expect(elsewhere.contextId).toBe("my-own");
});

test("a message is refused if its task belongs to another context", async () => {
  await using stage = await openStage({ openAgent: askingAgent });
  const { send, inWorkspace } = stage;
  const { id: taskId } = await send("ask", inWorkspace(), tool);
  const at = { taskId, contextId: "another" };

  const refused = [
    await send("on", at, tool),
    await send("cancel", at),
    await send("", { ...at, ...answerParts(["call-1", "cancel"]) }, tool),
  ];

  const message = `message.contextId: the task ${taskId} belongs to another context`;
  expect(refused).toMatchObject(refused.map(() => ({ code: -32602, message })));
});

test("a message is refused if its workspace differs from that of its session [SRV-11]", async () => {
  await using stage = await openStage();
  const { send, inWorkspace, server } = stage;
  const other = path.join(server.workspacePath, "below");
  mkdirSync(other);
  const { id: taskId, contextId } = await send("one", inWorkspace(), tool);

  const refused = [
    await send("two", { contextId, ...inWorkspace(other) }, tool),
    await send("two", { taskId, ...inWorkspace(other) }, tool),
  ];
  const accepted = [
    await send("two", { contextId, ...inWorkspace() }, tool),
    await send("two", { taskId, ...inWorkspace() }, tool),
  ];

  const message = `workspace_path: this session works only in ${server.workspacePath}; leave the field out, or start a new session`;
  expect(refused).toMatchObject(refused.map(() => ({ code: -32053, message })));
  expect(accepted).toMatchObject(accepted.map(() => ({ status: { state: "completed" } })));
});

test("a message with any context id goes to the live session of a live endpoint [CLI-10]", async () => {
  await using stage = await openStage({ isLive: true });
  const { send, inWorkspace, server } = stage;
  const other = path.join(server.workspacePath, "below");
  mkdirSync(other);
  const shared = { id: "live", contextId: "live", status: { state: "completed" } };

  expect([
    await send("one"),
    await send("two", { contextId: "live" }),
    await send("three", { taskId: "live", contextId: "live" }),
    await send("four", inWorkspace(), tool),
    await send("five", { contextId: "another" }, tool),
  ]).toMatchObject([shared, shared, shared, shared, shared]);
  expect([
    await send("six", { taskId: "another" }, tool),
    await send("seven", inWorkspace(other), tool),
  ]).toMatchObject([{ code: -32001 }, { code: -32053 }]);
});

test("a client with the extension must name the workspace of a new session", async () => {
  const opened: object[] = [];
  const openFake = createScriptedAgent();
  const openAgent: OpenAgent = async (options) => {
    opened.push(options.settings);
    return await openFake(options);
  };
  await using stage = await openStage({ openAgent });
  const { send, inWorkspace, server } = stage;

  const refused = await send("one", {}, tool);
  await send("two");
  await send("three", inWorkspace(), tool);

  expect(refused).toMatchObject({
    code: -32602,
    message: `message.metadata["${DEVELOPMENT_TOOL_URI}"].workspace_path: required in the first message of a session`,
  });
  const settings = { workspacePath: server.workspacePath, allowedTools: [], mcpServers: {} };
  expect(opened).toStrictEqual([settings, { ...settings, isFromLoopback: true }]);
});

test("a message to a finished task is refused in A2A 1.0 or without the extension [RFC-27]", async () => {
  await using stage = await openStage();
  const { send, sendV1, inWorkspace } = stage;
  const { id: taskId, contextId } = await send("one", inWorkspace(), tool);
  const v1 = { "A2A-Extensions": DEVELOPMENT_TOOL_URI, "A2A-Version": "1.0" };

  const refused = [await send("two", { taskId }), await sendV1("two", { taskId }, v1)];
  const next = await sendV1("two", { contextId }, v1);

  const message = `the task ${taskId} is completed; send the message with its contextId and without a taskId to continue in a new task`;
  expect(refused).toMatchObject(refused.map(() => ({ code: -32004, message })));
  expect(next).toMatchObject({ contextId, status: { state: "TASK_STATE_COMPLETED" } });
});

test("a re-sent message gets the task of its first delivery, or is refused if its content differs [LOG-05]", async () => {
  await using stage = await openStage();
  const { send } = stage;
  const messageId = "m-1";
  const first = await send("one", { messageId, contextId: "c" });
  const { id: taskId } = first;
  await send("another", { contextId: "c" });

  expect([
    await send("one", { messageId }),
    await send("one", { messageId, taskId }),
    await send("one", { messageId, contextId: "c", taskId }),
  ]).toEqual([first, first, first]);
  const refusal = {
    code: -32602,
    message: `message.messageId: m-1 is the id of another message of this client; give each message an id of its own`,
  };
  expect([
    await send("other", { messageId }),
    await send("one", { messageId, contextId: "d" }),
    await send("one", { messageId, taskId: "t" }),
  ]).toMatchObject([refusal, refusal, refusal]);
  expect(await send("mine", { messageId }, { "x-test-user": "bob" })).toMatchObject({
    status: { state: "completed" },
  });
});

test("a re-sent message is not delivered again while it is queued [LOG-05]", async () => {
  const { opened, open } = gate();
  await using stage = await openStage({
    openAgent: createScriptedAgent(async (turn) => {
      if (turn.text === "long") await opened;
      await turn.say(`did ${turn.text}`);
    }),
  });
  const { send, call, inWorkspace } = stage;
  const now = { configuration: { blocking: false } };
  const at = { contextId: "c", ...inWorkspace() };
  const queue = async (text: string, messageId: string) =>
    (await call("message/send", { message: say(text, { ...at, messageId }), ...now }, tool)).result;
  await queue("long", "m-1");
  const second = await queue("second", "m-2");
  const third = await queue("third", "m-3");

  const again = await queue("second", "m-2");
  const other = await send("another", { ...at, messageId: "m-2" }, tool);
  open();
  const done = await send("third", { ...at, messageId: "m-3" }, tool);

  expect(again.id).toBe(second.id);
  expect(other).toMatchObject({ code: -32602 });
  expect(done).toMatchObject({ id: third.id, status: { state: "completed" } });
  const notes = [second, third].map(({ status }) => status.message.parts);
  expect(JSON.stringify(notes)).toContain("queued behind 1 prompt");
  expect(JSON.stringify(notes)).toContain("queued behind 2 prompts");
});

test("answers are accepted only if all of them name an open question and one of its options", async () => {
  await using stage = await openStage({ openAgent: askingAgent });
  const { send, call, inWorkspace } = stage;
  const { id: taskId } = await send("ask", inWorkspace(), tool);
  const answer = (...chosen: readonly Choice[]) =>
    send("", { taskId, ...answerParts(...chosen) }, tool);

  const refused = [
    await answer(["call-1", "cancel"], ["call-1", "cancel"]),
    await answer(["call-1", "cancel"], ["call-3", "cancel"]),
    await answer(["call-1", "cancel"], ["call-2", "maybe"]),
    await answer(["call-3", "cancel"]),
  ];
  const open = await call("tasks/get", { id: taskId }, both);

  expect(refused).toMatchObject([
    {
      code: -32602,
      message:
        "message.parts: two answers to the question of the tool call call-1; none was accepted",
    },
    {
      code: -32052,
      message: "no question of the tool call call-3 is open; none of the answers was accepted",
    },
    {
      code: -32602,
      message:
        "selected_option_id: the tool call call-2 has no option maybe, only proceed_once, proceed_always, cancel; none of the answers was accepted",
    },
    { code: -32052, message: "no question of the tool call call-3 is open" },
  ]);
  expect(JSON.stringify(open.result.status)).toMatch(/call-1.*call-2/s);
  await answer(["call-1", "cancel"], ["call-2", "proceed_once"]);
  await expect
    .poll(async () => textsOf((await call("tasks/get", { id: taskId }, tool)).result).at(-1))
    .toBe("agent: chosen: cancel proceed_once");
});

test("a late answer is refused, and the error names the sender of the first answer [CLI-14]", async () => {
  await using stage = await openStage({ openAgent: askingAgent, isLive: true });
  const { send } = stage;
  await send("ask", {}, tool);
  const ada = { ...tool, "x-test-user": "ada", "x-dt-client": "" };
  const bob = { ...tool, "x-test-user": "bob", "x-dt-client": "Bob's IDE" };

  await send("", answerParts(["call-1", "proceed_once"]), ada);
  const late = await send("", answerParts(["call-1", "cancel"]), bob);
  await send("", answerParts(["call-2", "cancel"]), bob);
  const later = await send("", answerParts(["call-2", "cancel"]), ada);

  expect([late, later]).toMatchObject([
    {
      code: -32050,
      message: "the question of the tool call call-1 was already answered by ada with proceed_once",
      data: {
        toolCallId: "call-1",
        answeredBy: { principal: "ada", name: "" },
        selectedOptionId: "proceed_once",
      },
    },
    {
      code: -32050,
      message: "the question of the tool call call-2 was already answered by Bob's IDE with cancel",
      data: { toolCallId: "call-2", answeredBy: { principal: "bob", name: "Bob's IDE" } },
    },
  ]);
});

test("several answers are refused if one is late, and the error names who answered first [CLI-14]", async () => {
  await using stage = await openStage({ openAgent: askingAgent });
  const { send, inWorkspace } = stage;
  const { id: taskId } = await send("ask", inWorkspace(), tool);
  await send("", { taskId, ...answerParts(["call-1", "proceed_once"]) }, tool);

  const late = await send(
    "",
    { taskId, ...answerParts(["call-2", "cancel"], ["call-1", "cancel"]) },
    tool,
  );

  expect(late).toMatchObject({
    code: -32050,
    message: expect.stringMatching(
      /call-1 was already answered by .* with proceed_once; none of the answers was accepted$/,
    ),
    data: { toolCallId: "call-1", selectedOptionId: "proceed_once" },
  });
});

test("an answer is refused if its message names no task and no session is shared", async () => {
  await using stage = await openStage();

  const refused = await stage.send("", answerParts(["call-1", "cancel"]), tool);

  expect(refused).toMatchObject({
    code: -32602,
    message: "message.taskId: an answer must name the task that asked",
  });
});

test("an option in the text of a plain client answers the open question of the context", async () => {
  await using stage = await openStage({ openAgent: askingAgent });
  await using live = await openStage({ openAgent: askingAgent, isLive: true });
  const { id, contextId } = await stage.send("ask");
  await live.send("ask");

  const chosen = [
    await stage.send("cancel call-1", { contextId }),
    await stage.send("cancel call-2", { taskId: id }),
    await live.send("cancel call-1"),
    await live.send("cancel call-2", { contextId: "live" }),
  ];

  expect(chosen.map(({ id }) => id)).toEqual([id, id, "live", "live"]);
  expect(chosen.map((task) => textsOf(task).includes("agent: chosen: cancel cancel"))).toEqual([
    false,
    true,
    false,
    true,
  ]);
});

test("a plain client gets the open question again if its message is not an option", async () => {
  await using stage = await openStage({ openAgent: askingAgent });
  const { id, contextId } = await stage.send("ask");

  const sent = await stage.send("what?", { contextId });
  const frames = await stage.call("message/stream", { message: say("why?", { contextId }) });

  expect(sent).toMatchObject({ id, status: { state: "input-required" } });
  expect(textsOf(sent)).not.toContain("user: what?");
  expect(frames.at(-1)).toMatchObject({ status: { state: "input-required" } });
  expect(JSON.stringify(frames)).toContain("call-2");
});

test.each([
  ["the whole task on a server", false, { taskMode: "yolo" }],
  ["only this prompt on a live endpoint", true, { mode: "yolo" }],
])("the settings of a prompt set the mode for %s", async (_, isLive, mode) => {
  const prompts: object[] = [];
  const openFake = createScriptedAgent();
  const openAgent: OpenAgent = async (options) => {
    const agent = await openFake(options);
    return {
      ...agent,
      handle: (request, caller) => {
        if (request.type === "prompt") prompts.push(request);
        return agent.handle(request, caller);
      },
    };
  };
  await using stage = await openStage({ openAgent, isLive });
  const settings = (auto_execute: boolean) => ({
    metadata: {
      [DEVELOPMENT_TOOL_URI]: { workspace_path: stage.server.workspacePath, auto_execute },
    },
  });

  const { id: taskId } = await stage.send("one", { messageId: "a", ...settings(true) }, tool);
  await stage.send("two", { messageId: "b", taskId, ...settings(false) }, tool);

  const part = (text: string) => [{ type: "text", text }];
  const digest = expect.any(String);
  expect(prompts).toEqual([
    { type: "prompt", messageId: "a", taskId, parts: part("one"), digest, ...mode },
    {
      type: "prompt",
      digest,
      messageId: "b",
      taskId,
      parts: part("two"),
      ...(!isLive && { taskState: "completed" }),
    },
  ]);
});

test.each([
  ["delivered", "required and active", true, true],
  ["refused with extension-required", "required and inactive", true, false],
  ["delivered", "optional and inactive", false, false],
])(
  "a message is %s if the extension is %s",
  async (outcome, _, isExtensionRequired, developmentTool) => {
    const variant = { version: "0.3", developmentTool, session: false } as const;
    const dialect = createDialects(DEFAULT_EXTENSION_URIS).ofTask(undefined, variant);
    const context = {
      isExtensionRequired,
      activation: { uris: DEFAULT_EXTENSION_URIS, developmentTool, session: false },
      dialect,
      caller: { user: "ada", role: "prompt" },
      inFlight: { share: () => Promise.reject({ code: "delivered" }) },
    } as unknown as RpcContext;

    const received = dialect.decodeMessage({ message: say("hi") });

    await expect(deliverMessage(received, context)).rejects.toMatchObject({
      code: outcome.replace("refused with ", ""),
    });
  },
);

test("the stream of a message starts with its task if the task is new, and always in A2A 1.0 [SRV-08]", async () => {
  await using stage = await openStage();
  const { call, inWorkspace } = stage;
  const kinds = (frames: Json) => frames.map((frame: Json) => frame.kind ?? Object.keys(frame)[0]);
  const stream = async (about: object) =>
    await call("message/stream", { message: say("hi", about) }, tool);
  const [task, ...rest] = await stream(inWorkspace());
  const { id: taskId, contextId } = task;
  const next = await stream({ taskId });
  const messageV1 = { role: "ROLE_USER", messageId: "v1", contextId, parts: [{ text: "hi" }] };
  const v1 = await call("SendStreamingMessage", { message: messageV1 });

  expect(task).toMatchObject({ kind: "task", status: { state: "submitted" } });
  expect(kinds(rest)).toEqual(["status-update", "status-update", "status-update"]);
  expect(kinds(next)).toEqual(["status-update", "status-update", "status-update"]);
  expect(kinds(v1)[0]).toBe("task");
  expect(v1[0].task.contextId).toBe(contextId);
});

test("the push configs of a message that is sent again are set too [RFC-03, LOG-05]", async () => {
  const { opened, open } = gate();
  await using stage = await openStage({
    push: { allowList: ["127.0.0.1"], resolveName: () => new Promise(() => {}) },
    openAgent: createScriptedAgent(async (turn) => {
      await opened;
      await turn.say("done");
    }),
  });
  const { call } = stage;
  const message = say("one", { messageId: "m-1", contextId: "c" });
  const send = async (id: string, blocking: boolean) => {
    const pushNotificationConfig = { id, url: "https://hooks.example/" };
    const configuration = { blocking, pushNotificationConfig };
    return (await call("message/send", { message, configuration })).result;
  };

  const tasks = await Promise.all([send("a", false), send("b", false)]);
  open();
  tasks.push(await send("c", true), await send("c", true));
  const { id: taskId } = tasks[0];
  const { result } = await call("tasks/pushNotificationConfig/list", { id: taskId });

  expect(new Set(tasks.map(({ id }) => id)).size).toBe(1);
  expect(
    result.map(({ pushNotificationConfig }: Json) => pushNotificationConfig.id).sort(),
  ).toEqual(["a", "b", "c"]);
});

/** Reads the frames of a stream with their cursors. */
async function streamOf(url: string, message: object, headers: object = {}): Promise<Json[]> {
  const params = { message };
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "message/stream", params }),
  });
  const blocks = (await response.text()).split("\n\n").filter((block) => block.includes("data:"));
  return blocks.map((block) => {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
    return { id: field("id"), result: JSON.parse(field("data") ?? "{}").result };
  });
}

test("the stream of a message that is sent again continues after the cursor of its client [LOG-05]", async () => {
  await using stage = await openStage({
    openAgent: createScriptedAgent(async (turn) => {
      for (const piece of ["one ", "two ", "three"]) await turn.say(piece);
    }),
  });
  const { url } = stage.server;
  const message = say("count", { contextId: "c" });
  const first = await streamOf(url, message);
  const cursors = first.slice(0, -1).flatMap(({ id }) => id ?? []);

  const resumed = await Promise.all(
    cursors.map((id) => streamOf(url, message, { "Last-Event-ID": id })),
  );
  const complete = await streamOf(url, message, { "Last-Event-ID": first.at(-1)?.id ?? "" });

  const seen = (id: string) => first.findIndex((frame) => frame.id === id) + 1;
  expect(cursors.length).toBeGreaterThan(3);
  expect(resumed).toEqual(cursors.map((id) => first.slice(seen(id))));
  expect(complete).toEqual([]);
});

test("the stream of a message that is sent again in A2A 1.0 starts with the task as it is now [LOG-05]", async () => {
  await using stage = await openStage();
  const message = { role: "ROLE_USER", messageId: "m-1", contextId: "c", parts: [{ text: "hi" }] };
  const first = await stage.call("SendStreamingMessage", { message });

  const again = await stage.call("SendStreamingMessage", { message });

  expect(first[0].task.status.state).toBe("TASK_STATE_SUBMITTED");
  expect(again).toHaveLength(1);
  expect(again[0].task).toMatchObject({
    id: first[0].task.id,
    status: { state: "TASK_STATE_COMPLETED" },
  });
});

test("the stream of a plain client gets the open question again if its message is not an option", async () => {
  await using stage = await openStage({ openAgent: askingAgent });
  const { url } = stage.server;
  const asked = await streamOf(url, say("ask", { contextId: "c" }));
  const { taskId } = asked.at(-1)?.result ?? {};

  const again = await streamOf(url, say("what?", { taskId, contextId: "c" }));

  expect(again.at(-1)?.result).toMatchObject({
    taskId,
    final: true,
    status: { state: "input-required", message: { role: "agent" } },
  });
});

test("each client with an open stream of a message is listed, also if it has sent the message again", async () => {
  const { opened, open } = gate();
  await using stage = await openStage({
    isLive: true,
    openAgent: createScriptedAgent(async (turn) => {
      await opened;
      await turn.say("done");
    }),
  });
  const { server } = stage;
  const message = { role: "ROLE_USER", messageId: "m-1", parts: [{ text: "wait" }] };
  const stream = (client: string) =>
    fetch(server.url, {
      method: "POST",
      headers: { "Content-Type": "application/json", "A2A-Version": "1.0", "X-DT-Client": client },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "SendStreamingMessage",
        params: { message },
      }),
    });
  const { host } = await (server.live ?? Promise.reject(new Error("no session is shared")));

  const responses = [await stream("laptop")];
  await expect.poll(() => host.log.subscribers.size).toBe(1);
  responses.push(await stream("phone"));
  await expect.poll(() => host.log.subscribers.size).toBe(2);
  const clients = host.log.subscribers.listOwn();
  open();
  const texts = await Promise.all(responses.map((response) => response.text()));

  // A subscriber without a known client is listed as null.
  expect(new Set(clients.map((client) => client?.name))).toEqual(new Set(["laptop", "phone"]));
  expect(texts.map((text) => text.includes("done"))).toEqual([true, true]);
});
