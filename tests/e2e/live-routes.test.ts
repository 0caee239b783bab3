// "The guide" is the a2a-endpoint-guide, one of the five source documents (docs/documents.md).
import { request } from "node:http";
import { expect, test } from "vitest";
import { openLiveStage, TERMINAL } from "./support/open-live-stage.js";
import { parseEvents, readStream } from "./support/raw-rpc.js";
import { openWsClient } from "./ws-client.js";

const URI =
  "https://github.com/google-gemini/gemini-cli/blob/main/docs/a2a/developer-profile/v0/spec.md";

/** The request body that the guide shows. */
const prompt = (text: string) => ({
  jsonrpc: "2.0",
  method: "message/stream",
  params: { message: { content: { text } } },
});
const confirm = (tool_call_id: string, selected_option_id: string) => ({
  jsonrpc: "2.0",
  method: "message/stream",
  params: {
    message: {
      content: { data: { kind: "TOOL_CALL_CONFIRMATION", tool_call_id, selected_option_id } },
    },
  },
});

async function send(url: string, body: unknown, headers: Record<string, string> = {}) {
  return await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

/** Sends a request with node:http, because fetch cannot set the Host header. */
async function statusOf(
  url: string,
  { method = "POST", headers = {} }: { method?: string; headers?: Record<string, string> },
): Promise<number> {
  return await new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on("error", reject);
    sent.end(method === "POST" ? "{}" : undefined);
  });
}

test("the card of a live endpoint lists our extension [CLI-04]", async () => {
  await using stage = await openLiveStage();
  const { port } = stage.server;

  const response = await fetch(`http://localhost:${port}/.well-known/agent-card.json`);
  const card = (await response.json()) as { capabilities: { extensions: { uri: string }[] } };

  expect(response.status).toBe(200);
  expect(card.capabilities.extensions.map(({ uri }) => uri)).toContain(URI);
  expect(stage.url).toContain("127.0.0.1");
});

test("POST /tasks on a live endpoint returns 201 with the id of the open task [CLI-06]", async () => {
  await using stage = await openLiveStage();
  const { taskId, contextId } = stage.live;
  const whole = { id: taskId, taskId, contextId, sessionId: contextId, state: "input-required" };

  const bare = await fetch(`${stage.url}tasks`, { method: "POST" });
  const full = await send(`${stage.url}tasks`, {
    contextId: "mine",
    agentSettings: { workspaceRoot: stage.workspace.root, model: "any" },
  });
  const gemini = await send(`${stage.url}tasks`, {
    agentSettings: { kind: "agent-settings", workspacePath: stage.workspace.root },
  });

  expect([bare.status, full.status, gemini.status]).toEqual([201, 201, 201]);
  expect(await bare.json()).toEqual(whole);
  expect(await full.json()).toEqual(whole);
  expect(await gemini.json()).toBe(taskId);
});

test("POST /tasks with another workspace or malformed settings is refused [CLI-06]", async () => {
  await using stage = await openLiveStage();

  const elsewhere = await send(`${stage.url}tasks`, { agentSettings: { workspacePath: "/" } });
  const nonsense = await send(`${stage.url}tasks`, { agentSettings: [] });

  expect(elsewhere.status).toBe(403);
  expect(nonsense.status).toBe(400);
  expect(await nonsense.json()).toMatchObject({
    error: { code: -32602, message: "agentSettings: expected an object" },
  });
});

/** The routes that accept the guide's body. Each function sends a body to its route. */
const routes = {
  "POST /": (url: string, _taskId: string, body: unknown) => send(url, { id: 5, ...Object(body) }),
  "POST /tasks/{id}/messages/stream": (url: string, taskId: string, body: unknown) =>
    send(`${url}tasks/${taskId}/messages/stream`, body),
  "POST /tasks/{id}/messages/stream without JSON-RPC": (
    url: string,
    taskId: string,
    body: unknown,
  ) => send(`${url}tasks/${taskId}/messages/stream`, Object(body).params),
  "POST /tasks/{id}/messages": (url: string, taskId: string, body: unknown) =>
    send(`${url}tasks/${taskId}/messages`, body, { Accept: "text/event-stream" }),
  "POST /v1/message:stream": (url: string, _taskId: string, body: unknown) =>
    send(`${url}v1/message:stream`, Object(body).params),
};

for (const [name, sendBody] of Object.entries(routes)) {
  test(`${name} accepts a prompt and an answer of the guide, and streams the guide's frames [CLI-07, CLI-08, CLI-09, CLI-11, CLI-12]`, async () => {
    await using stage = await openLiveStage();
    const { taskId, contextId } = stage.live;

    const asked = await sendBody(
      stage.url,
      taskId,
      prompt("think Plan: list first then say I will do it. then run echo hello"),
    );
    const first = await readStream(asked);
    const toolCallId = first.at(-1)?.json.result.tool_call_id;
    const second = await readStream(
      await sendBody(stage.url, taskId, confirm(toolCallId, "proceed_once")),
    );

    expect(asked.headers.get("Content-Type")).toBe("text/event-stream");
    expect(first.every(({ json }) => json.jsonrpc === "2.0" && json.id === contextId)).toBe(true);
    expect(first.every(({ id }) => id !== undefined)).toBe(true);
    expect(first.map(({ json }) => json.result)).toEqual([
      { kind: "THOUGHT", thought: { subject: "Plan", description: "list first" }, taskId },
      { kind: "TEXT_CONTENT", content: { text: "I will do it." }, taskId },
      {
        kind: "TOOL_CALL_UPDATE",
        tool_call_id: toolCallId,
        status: "PENDING",
        tool_name: "run_shell_command",
        description: expect.any(String),
        input_parameters: { command: "echo hello" },
        confirmation_request: {
          options: [
            { id: "proceed_once", name: "Allow Once" },
            { id: "proceed_always", name: "Always allow", description: expect.any(String) },
            { id: "cancel", name: "Cancel" },
          ],
          details: { execute_details: expect.objectContaining({ command: "echo hello" }) },
        },
        taskId,
      },
    ]);
    const statuses = second.map(({ json }) => json.result.status);
    expect(statuses[0]).toBe("EXECUTING");
    expect(statuses.at(-1)).toBe("SUCCEEDED");
    expect((await stage.live.view()).state).toBe("input-required");
    expect(stage.faults).toEqual([]);
  });
}

test("POST /tasks/{id}/messages returns the reply or the questions as one JSON body [CLI-07]", async () => {
  await using stage = await openLiveStage();
  const { taskId, contextId } = stage.live;
  const url = `${stage.url}tasks/${taskId}/messages`;

  const answered = await (await send(url, prompt("say hello"))).json();
  const asked = (await (
    await send(url, { message: { content: { text: "write a.txt: x" } } })
  ).json()) as {
    result: { confirmations: { tool_call_id: string }[] };
  };
  const [question] = asked.result.confirmations;
  const refused = await (await send(url, confirm(question?.tool_call_id ?? "", "cancel"))).json();
  const failed = await (await send(url, prompt("fail for good"))).json();

  expect(answered).toEqual({
    jsonrpc: "2.0",
    id: contextId,
    result: { taskId, state: "input-required", content: { text: "hello" } },
  });
  expect(question).toMatchObject({ kind: "TOOL_CALL_UPDATE", status: "PENDING", taskId });
  expect(refused).toMatchObject({ result: { state: "input-required" } });
  expect(failed).toMatchObject({ result: { error: expect.stringContaining("for good") } });
});

test("the message routes return 404 for an unknown task and 400 for a body with another task id [CLI-07]", async () => {
  await using stage = await openLiveStage();

  const statuses = await Promise.all(
    ["tasks/nope/messages/stream", "tasks/nope/messages"].map(
      async (route) => (await send(`${stage.url}${route}`, prompt("say hi"))).status,
    ),
  );
  const other = await send(`${stage.url}tasks/${stage.live.taskId}/messages/stream`, {
    message: { taskId: "nope", content: { text: "say hi" } },
  });

  expect(statuses).toEqual([404, 404]);
  expect(other.status).toBe(400);
});

test.each([
  [{}, "message: expected an object"],
  [{ message: { content: {} } }, "message.content: expected either text or data"],
  [{ message: { content: { text: 5 } } }, "message.content.text: expected a string"],
  [{ jsonrpc: "2.0", method: "tasks/get", params: {} }, "there is no method tasks/get here"],
  [{ jsonrpc: "1.0", method: "message/stream" }, 'jsonrpc: expected "2.0"'],
  [[], "message: expected an object"],
])(
  "a message route refuses the body %j with an error about the wrong field",
  async (body, message) => {
    await using stage = await openLiveStage();

    const response = await send(`${stage.url}tasks/${stage.live.taskId}/messages/stream`, body);

    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(await response.json()).toMatchObject({ jsonrpc: "2.0", error: { message } });
    expect((await stage.live.view()).items).toEqual([]);
    expect(stage.faults).toEqual([]);
  },
);

test("every route of a live endpoint checks Host, Origin and content type [SEC-01]", async () => {
  await using stage = await openLiveStage();
  const { taskId } = stage.live;
  const json = { "Content-Type": "application/json", "Content-Length": "2" };
  const paths = ["", "tasks", `tasks/${taskId}/messages`, `tasks/${taskId}/messages/stream`];

  for (const path of paths) {
    const url = `${stage.url}${path}`;
    expect(await statusOf(url, { headers: { ...json, Host: "evil.example" } })).toBe(403);
    expect(await statusOf(url, { headers: { ...json, Origin: "https://evil.example" } })).toBe(403);
    const text = { "Content-Type": "text/plain", "Content-Length": "2" };
    expect(await statusOf(url, { headers: text })).toBe(415);
  }
  expect((await stage.live.view()).items).toEqual([]);
});

test("a re-sent message starts no second turn, and its stream resumes after Last-Event-ID [LOG-02, LOG-05]", async () => {
  await using stage = await openLiveStage();
  const url = `${stage.url}tasks/${stage.live.taskId}/messages/stream`;
  const body = { message: { messageId: "m", content: { text: "say one then run echo" } } };

  const first = await readStream(await send(url, body));
  const [cursor] = first.flatMap(({ id }) => (id === undefined ? [] : [id]));
  const again = await readStream(await send(url, body, { "Last-Event-ID": cursor ?? "" }));

  expect(first.length).toBeGreaterThan(1);
  expect(again).toEqual(first.slice(1));
  const { items } = await stage.live.view();
  expect(items.filter(({ event }) => event.kind === "USER_PROMPT")).toHaveLength(1);
});

test("a guide socket receives the prompts of all clients in the order of the queue [CLI-05, CLI-10, CLI-15, CLI-16]", async () => {
  await using stage = await openLiveStage();
  const { taskId } = stage.live;
  using socket = await openWsClient(stage.wsUrl, {
    protocol: "",
    headers: { "X-Dt-Client": "phone" },
  });
  await stage.type("run sleep 30");
  const busy = await stage.question();
  socket.send(prompt("say from the phone"));
  await socket.until((frame) => frame.content === "1 prompt waits");
  const streaming = send(
    `${stage.url}tasks/${taskId}/messages/stream`,
    prompt("say from the script"),
    { "X-Dt-Client": "script" },
  );
  await socket.until((frame) => frame.content === "2 prompts wait");

  await stage.answer(busy, "cancel");
  const stream = parseEvents(await (await streaming).text());
  await socket.until((frame) => frame.content?.text === "from the script" && !frame.role);

  const prompts = socket.frames.filter((frame) => frame.role === "user");
  expect(prompts).toEqual([
    {
      kind: "TEXT_CONTENT",
      content: { text: "run sleep 30" },
      role: "user",
      origin: "terminal",
      taskId,
    },
    {
      kind: "TEXT_CONTENT",
      content: { text: "say from the phone" },
      role: "user",
      origin: "phone",
      taskId,
    },
    {
      kind: "TEXT_CONTENT",
      content: { text: "say from the script" },
      role: "user",
      origin: "script",
      taskId,
    },
  ]);
  expect(stream.map(({ json }) => json.result)).toContainEqual({
    kind: "TEXT_CONTENT",
    content: { text: "from the script" },
    taskId,
  });
  expect(stream.some(({ json }) => json.result.role === "user")).toBe(false);
});

test("the message routes enforce the limits for body size and number of streams", async () => {
  await using stage = await openLiveStage({
    server: { maxBodyBytes: 1_000, limits: { maxStreamsPerPrincipal: 1 } },
  });
  const url = `${stage.url}tasks/${stage.live.taskId}/messages/stream`;

  const large = await send(url, prompt("x".repeat(2_000)));
  const held = await send(url, prompt("say one then wait 60000"));
  const second = await send(url, prompt("say two"));
  await held.body?.cancel();

  expect(large.status).toBe(413);
  expect(second.status).toBe(503);
  expect(await second.json()).toMatchObject({ error: { code: -32051 } });
});

test("a prompt that waits behind a question gets 503 when the endpoint stops", async () => {
  await using stage = await openLiveStage();
  const url = `${stage.url}tasks/${stage.live.taskId}/messages`;
  await stage.type("write a.txt: hi");
  await stage.question();
  const waiting = send(url, prompt("say two"));
  await stage.until((event) => event.kind === "QUEUE");

  await stage.server.close();

  expect((await waiting).status).toBe(503);
});

test("the session continues after its endpoint has stopped and ended all requests", async () => {
  await using stage = await openLiveStage();
  const url = `${stage.url}tasks/${stage.live.taskId}/messages`;
  const streaming = await send(`${url}/stream`, prompt("say one then wait 60000"));
  await stage.until((event) => event.kind === "TEXT_CONTENT");
  const waiting = send(url, prompt("say two"));
  await stage.until((event) => event.kind === "QUEUE");

  await stage.server.close();
  const answered = await waiting;

  await expect(streaming.text()).rejects.toThrow();
  expect(answered.status).toBe(503);
  expect(await answered.json()).toMatchObject({ error: { code: -32051 } });
  await stage.live.agent.cancel(stage.live.taskId, TERMINAL);
  await stage.type("say still here");
  await stage.until((event) => event.kind === "TEXT_CONTENT" && event.text === "still here");
});

test.each(["", "/live", "/live/messages", "/live/messages/stream"])(
  "PUT /tasks%s on a live endpoint is refused with a JSON-RPC error [CLI-07]",
  async (path) => {
    await using stage = await openLiveStage();

    const response = await fetch(`${stage.url}tasks${path}`, { method: "PUT" });

    expect(response.status).toBe(path === "/live" ? 404 : 405);
    expect(await response.json()).toMatchObject({ jsonrpc: "2.0", error: { code: -32601 } });
  },
);
