import { type OpenAgentOptions, ProtocolError } from "@dt/schema";
import { buildQuestion, buildToolCall } from "@dt/schema/testing";
import { createCoderAgentBus, emitCoderAgentEvents } from "@dt/schema/wire";
import { expect, test } from "vitest";
import { openMemoryStore } from "../store/memory/open-memory-store.js";
import { createScriptedAgent } from "../testing/fake-agent.js";
import { openTestServer, type TestServerOptions } from "../testing/open-test-server.js";

// biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
type Json = any;

/** Opens a server, and creates functions that call the routes of the server reference. */
async function openStage(options: TestServerOptions = {}) {
  const server = await openTestServer(options);
  const call = (path: string, init: RequestInit = {}) => fetch(`${server.url}tasks${path}`, init);
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    call(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  return {
    server,
    call,
    post,
    agentSettings: { workspaceRoot: server.workspacePath },
    async create(body: object = {}): Promise<Json> {
      return await (await post("", body)).json();
    },
    async get(path: string): Promise<Json> {
      return await (await call(path)).json();
    },
    /** Sends a body to `/execute`; returns the events of the whole stream. */
    async execute(taskId: string, body: object): Promise<Json[]> {
      return await readEvents(await post(`/${taskId}/execute`, body));
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Parses named events. Checks that the name of each event is the type of its payload. */
function parseEvents(text: string): Json[] {
  return text.split("\n\n").flatMap((block) => {
    const fields = Object.fromEntries(
      block.split("\n").map((line) => [line.split(": ")[0], line.slice(line.indexOf(": ") + 2)]),
    );
    if (fields.data === undefined) return [];
    const payload = JSON.parse(fields.data);
    expect(fields.event).toBe(payload.type);
    return [{ ...payload, ...(fields.id !== undefined && { cursor: fields.id }) }];
  });
}

const readEvents = async (response: Response) => parseEvents(await response.text());

/** Reads a stream until it contains a text. Returns the text so far, and a function that reads to the end. */
async function readUntil(response: Response, text: string) {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let read = "";
  while (!read.includes(text)) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the stream ended without ${text}: ${read}`);
    read += decoder.decode(value, { stream: true });
  }
  return {
    read,
    async rest(): Promise<string> {
      let rest = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return rest;
        rest += decoder.decode(value, { stream: true });
      }
    },
  };
}

const briefly = (events: readonly Json[]) =>
  events.map(({ type, status, state, text }) => [type, status ?? state ?? text].join(" "));

/** An agent that asks a question if the prompt is "ask", and then sends the chosen option as text. */
const askingAgent = createScriptedAgent(async (turn) => {
  if (turn.text !== "ask") return void (await turn.say(`did ${turn.text}`));
  const [answer] = await turn.ask(buildQuestion());
  const status = answer?.selectedOptionId === "cancel" ? "CANCELLED" : "SUCCEEDED";
  await turn.emit({ kind: "TOOL_CALL_UPDATE", toolCall: buildToolCall({ status }) });
  await turn.say(`chosen: ${answer?.selectedOptionId}`);
});

test("POST /tasks creates a task with its ids and state [SRV-01]", async () => {
  await using stage = await openStage();
  const { agentSettings } = stage;

  const created = await stage.post("", { contextId: "context-123", agentSettings });
  const task: Json = await created.json();
  const beside = await stage.create({ contextId: "context-123" });
  const bare = await stage.call("", { method: "POST" });

  expect(created.status).toBe(201);
  expect(task).toEqual({
    id: expect.any(String),
    taskId: task.id,
    contextId: "context-123",
    state: "running",
  });
  expect(beside.contextId).toBe("context-123");
  expect(beside.taskId).not.toBe(task.taskId);
  expect(bare.status).toBe(201);
});

test("POST /tasks answers gemini's own clients with only the task id [SRV-01]", async () => {
  await using stage = await openStage();
  const { workspaceRoot: workspacePath } = stage.agentSettings;

  const response = await stage.post("", {
    agentSettings: { kind: "agent-settings", workspacePath },
  });
  const id: Json = await response.json();

  expect(response.status).toBe(201);
  expect(id).toEqual(expect.any(String));
  expect(await stage.get(`/${id}`)).toMatchObject({ id, state: "running" });
});

test("POST /tasks refuses bad settings and creates no task [SRV-01, RFC-08, SEC-04]", async () => {
  await using stage = await openStage();
  const { agentSettings } = stage;
  await stage.create({ contextId: "known", agentSettings });
  const refused = async (body: unknown) => {
    const response = await stage.post("", body);
    const { error, code }: Json = await response.json();
    return [response.status, code, error];
  };

  expect([
    await refused([]),
    await refused({ agentSettings: { workspaceRoot: "here" } }),
    await refused({ agentSettings: { workspaceRoot: "/" } }),
    await refused({ contextId: "a\u0000b" }),
    await refused({ contextId: "known", agentSettings: { model: "other" } }),
    await refused({ contextId: "known", agentSettings: { apiKey: "secret" } }),
  ]).toEqual([
    [400, "invalid-message", "body: expected an object"],
    [400, "invalid-message", "workspace_path: expected an absolute path, got here"],
    [403, "workspace-refused", expect.stringContaining("workspace_path: / lies outside")],
    [400, "invalid-message", "contextId: expected no control characters and no lone surrogates"],
    [
      400,
      "invalid-message",
      "agentSettings.model: this session began with the server's model; leave the field out, or choose another contextId",
    ],
    [
      400,
      "invalid-message",
      "agentSettings.apiKey: this session began with the key of the server; leave the field out, or choose another contextId",
    ],
  ]);
  expect((await stage.get("")).tasks).toHaveLength(1);
});

test("execute streams named events, even if the message continues an ended task [SRV-02]", async () => {
  await using stage = await openStage();
  const { taskId } = await stage.create();

  const response = await stage.post(`/${taskId}/execute`, { message: "one" });
  const first = await readEvents(response);
  const second = await stage.execute(taskId, { message: "two" });

  expect(response.headers.get("Content-Type")).toBe("text/event-stream");
  expect(briefly(first)).toEqual(["text_content one", "state_change completed"]);
  expect(briefly(second)).toEqual([
    "state_change running",
    "text_content two",
    "state_change completed",
  ]);
});

test("the stream of execute stays open at a question until another request answers [SRV-02, SRV-20]", async () => {
  await using stage = await openStage({ openAgent: askingAgent });
  const { taskId } = await stage.create();

  const response = await stage.post(`/${taskId}/execute`, { message: "ask" });
  const asking = await readUntil(response, "requested");
  const running = await stage.get(`/${taskId}`);
  const confirmation = { toolCallId: "call-1", approved: true };
  const answered = await stage.execute(taskId, { confirmation });
  const rest = parseEvents(await asking.rest());

  const after = [
    "tool_call_update executing",
    "tool_call_update completed",
    "text_content chosen: proceed_once",
    "state_change completed",
  ];
  expect(briefly(parseEvents(asking.read))).toEqual(["tool_call_update requested"]);
  expect(parseEvents(asking.read)[0].confirmation).toMatchObject({ title: "Write hello.txt?" });
  expect(running).toMatchObject({ state: "running" });
  expect(briefly(answered)).toEqual(after);
  expect(briefly(rest)).toEqual(after);
});

test("a tool call that the client does not approve ends with an error [SRV-02, RFC-20]", async () => {
  await using stage = await openStage({ openAgent: askingAgent });
  const { taskId } = await stage.create();

  const response = await stage.post(`/${taskId}/execute`, { message: "ask" });
  await readUntil(response, "requested");
  const answered = await stage.execute(taskId, {
    confirmation: { toolCallId: "call-1", approved: false },
  });

  expect(answered.at(-2)).toMatchObject({ text: "chosen: cancel" });
  expect(answered.find(({ status }) => status === "error")).toMatchObject({
    error: "the call was cancelled",
  });
});

test("an answer gets 409 if its question was answered, and 404 if no such question is open [SRV-02, CLI-14]", async () => {
  await using stage = await openStage({ openAgent: askingAgent });
  const { taskId } = await stage.create();
  const asked = await stage.post(`/${taskId}/execute`, { message: "ask" });
  await readUntil(asked, "requested");
  const confirmation = { toolCallId: "call-1", approved: true };
  await stage.execute(taskId, { confirmation });

  const late = await stage.post(`/${taskId}/execute`, { confirmation });
  const unknown = await stage.post(`/${taskId}/execute`, {
    confirmation: { toolCallId: "nope", approved: true },
  });

  expect([late.status, await late.json()]).toEqual([
    409,
    {
      code: "confirmation-closed",
      error: "the question of the tool call call-1 was already answered by local with proceed_once",
      toolCallId: "call-1",
      answeredBy: { principal: "local", name: "local" },
      selectedOptionId: "proceed_once",
    },
  ]);
  expect([unknown.status, await unknown.json()]).toEqual([
    404,
    { code: "confirmation-not-found", error: "no question of the tool call nope is open" },
  ]);
});

test("a message that is sent again with its id and a cursor continues its turn [SRV-02, LOG-02, LOG-05]", async () => {
  await using stage = await openStage();
  const { taskId } = await stage.create();
  const body = { message: "one", messageId: "m-1" };

  const first = await stage.execute(taskId, body);
  const again = await stage.execute(taskId, body);
  const cursor = first[0].cursor as string;
  const resumed = await stage.post(`/${taskId}/execute`, body, { "Last-Event-ID": cursor });
  const lost = await stage.post(`/${taskId}/execute`, body, { "Last-Event-ID": "9.nonsense" });
  const other = await stage.post(`/${taskId}/execute`, { ...body, message: "two" });

  expect(again).toEqual(first);
  expect(await readEvents(resumed)).toEqual(first.slice(1));
  expect([lost.status, await lost.json()]).toMatchObject([410, { code: "cursor-not-found" }]);
  expect([other.status, await other.json()]).toMatchObject([400, { code: "invalid-message" }]);
});

test("GET /tasks/:taskId has the whole history of 1,000 messages [SRV-03]", async () => {
  const count = 500;
  const agent = createScriptedAgent(async (turn) => {
    if (turn.text !== "many") return void (await turn.say(`did ${turn.text}`));
    for (let index = 0; index < count; index += 1) {
      await turn.emit({
        kind: "TOOL_CALL_UPDATE",
        toolCall: buildToolCall({ toolCallId: `call-${index}`, status: "SUCCEEDED" }),
      });
      await turn.say(`text ${index}`);
    }
  });
  await using stage = await openStage({ openAgent: agent });
  const { taskId, contextId } = await stage.create();
  await stage.execute(taskId, { message: "many" });
  await stage.execute(taskId, { message: "one more" });

  const { history, ...task } = await stage.get(`/${taskId}`);
  const short = await stage.get(`/${taskId}?historyLength=2`);

  const texts = history.flatMap(({ parts }: Json) => parts.map(({ text }: Json) => text ?? "call"));
  const said = Array.from({ length: count }, (_, index) => ["call", `text ${index}`]).flat();
  expect(task).toEqual({
    id: taskId,
    contextId,
    state: "completed",
    timestamp: expect.any(String),
    metadata: {},
    artifacts: [],
  });
  expect(texts).toEqual(["many", ...said, "one more", "did one more"]);
  expect(new Set(history.map(({ messageId }: Json) => messageId)).size).toBe(history.length);
  expect(history[0]).toMatchObject({ kind: "message", role: "user", taskId, contextId });
  expect(short.history).toEqual(history.slice(-2));
});

test("GET /tasks lists the tasks of the caller in pages [SRV-03]", async () => {
  await using stage = await openStage();
  for (const contextId of ["a", "b", "c"]) await stage.create({ contextId });
  const other = await stage.call("", { method: "POST", headers: { "X-Test-User": "eve" } });

  const all = await stage.get("");
  const first = await stage.get("?limit=2");
  const last = await stage.get(`?limit=2&after=${first.next}`);

  expect(other.status).toBe(201);
  expect(all.tasks.map(({ contextId }: Json) => contextId).sort()).toEqual(["a", "b", "c"]);
  expect(all.tasks[0]).toEqual({
    id: expect.any(String),
    contextId: expect.any(String),
    state: "running",
  });
  expect(all).not.toHaveProperty("next");
  expect([...first.tasks, ...last.tasks]).toEqual(all.tasks);
  expect(last).not.toHaveProperty("next");
});

test("a task that waits for its first message is not counted as active [SRV-16, SRV-21]", async () => {
  const store = openMemoryStore();
  await using stage = await openStage({ store });

  const { taskId } = await stage.create();

  expect(await store.countTasks()).toEqual({ active: 0, total: 1 });
  expect(await store.findTask(taskId)).toMatchObject({ dialect: "reference" });
});

const large = { message: "x".repeat(2 * 1024 * 1024) };
const json = { "Content-Type": "application/json" };
const badRequests: readonly (readonly [string, string, RequestInit, number, string])[] = [
  ["an unknown task", "/nope", {}, 404, "task-not-found"],
  [
    "a message to an unknown task",
    "/nope/execute",
    { method: "POST", headers: json, body: '{"message":"hi"}' },
    404,
    "task-not-found",
  ],
  ["an unknown path", "/TASK/nothing", {}, 404, "method-not-found"],
  ["a wrong method of /tasks", "", { method: "PUT" }, 405, "method-not-found"],
  ["a wrong method of a task", "/TASK", { method: "DELETE" }, 405, "method-not-found"],
  ["a wrong method of execute", "/TASK/execute", {}, 405, "method-not-found"],
  [
    "a wrong content type",
    "/TASK/execute",
    { method: "POST", body: "message=hi" },
    415,
    "content-type-not-supported",
  ],
  [
    "an oversized body",
    "/TASK/execute",
    { method: "POST", headers: json, body: JSON.stringify(large) },
    413,
    "too-large",
  ],
  ["bad JSON", "/TASK/execute", { method: "POST", headers: json, body: "{" }, 400, "parse-error"],
  [
    "a body that is no object",
    "/TASK/execute",
    { method: "POST", headers: json, body: "5" },
    400,
    "invalid-message",
  ],
  ["a page token that is invalid", "?after=nonsense", {}, 400, "invalid-message"],
  ["a limit that is no number", "?limit=many", {}, 400, "invalid-message"],
  ["a limit of 0", "?limit=0", {}, 400, "invalid-message"],
  ["a limit that is given twice", "?limit=1&limit=2", {}, 400, "invalid-message"],
  ["a negative history length", "/TASK?historyLength=-1", {}, 400, "invalid-message"],
];

test.each(badRequests)(
  "the routes of the reference answer %s with a status, a code and a text [SRV-02, SEC-09]",
  async (_, path, init, status, code) => {
    await using stage = await openStage();
    const { taskId } = await stage.create();

    const response = await stage.call(path.replace("TASK", taskId), init);

    expect([response.status, await response.json()]).toEqual([
      status,
      expect.objectContaining({ code, error: expect.any(String) }),
    ]);
    expect(response.headers.has("Allow")).toBe(status === 405);
    expect(stage.server.faults).toEqual([]);
  },
);

test("a live endpoint does not have the routes of the reference [SRV-02, CLI-07]", async () => {
  await using stage = await openStage({ isLive: true });

  expect([
    (await stage.call("")).status,
    (await stage.post("/live/execute", { message: "hi" })).status,
  ]).toEqual([405, 404]);
});

test("an event bus gets the committed events of a served session [SRV-26]", async () => {
  const eventBus = createCoderAgentBus();
  const received: Json[] = [];
  for (const type of ["text_content", "state_change"] as const) {
    eventBus.on(type, (event) => void received.push(event));
  }
  const cursors: (string | undefined)[] = [];
  const emit = emitCoderAgentEvents(eventBus);
  await using stage = await openStage({
    onEvent(event) {
      cursors.push(event.cursor);
      emit(event);
    },
  });
  const { taskId } = await stage.create();

  const streamed = await stage.execute(taskId, { message: "one" });

  expect(briefly(received)).toEqual([
    "state_change running",
    "text_content one",
    "state_change completed",
  ]);
  expect(cursors).toEqual(expect.arrayContaining(streamed.map(({ cursor }) => cursor)));
});

test("an error of an event handler is reported as a fault, and the session continues [SRV-26]", async () => {
  await using stage = await openStage({
    onEvent() {
      throw new Error("broken handler");
    },
  });
  const { taskId } = await stage.create();

  const streamed = await stage.execute(taskId, { message: "one" });

  expect(streamed.at(-1)).toMatchObject({ state: "completed" });
  expect(stage.server.faults[0]).toEqual(new Error("broken handler"));
});

test("a client's model key reaches the agent, and is gone after a restart [SRV-01, SEC-05]", async () => {
  const store = openMemoryStore();
  const opened: OpenAgentOptions[] = [];
  const openAgent = (options: OpenAgentOptions) => {
    opened.push(options);
    return createScriptedAgent()(options);
  };
  const keyed = { contextId: "c", agentSettings: { apiKey: "client-key" } };
  const first = await openStage({ store: { ...store, close: async () => {} }, openAgent });
  const { taskId } = await first.create(keyed);
  await first[Symbol.asyncDispose]();
  expect(JSON.stringify(await store.findSession("c"))).not.toContain("client-key");

  await using stage = await openStage({ store, openAgent });
  const refused = await stage.post(`/${taskId}/execute`, { message: "one" });
  const again = await stage.create(keyed);
  const events = await stage.execute(taskId, { message: "two" });

  expect([refused.status, await refused.json()]).toEqual([
    409,
    {
      code: "unsupported-operation",
      error: expect.stringContaining("the API key of this session was kept in memory only"),
    },
  ]);
  expect(again).toMatchObject({ contextId: "c", state: "running" });
  expect(briefly(events)).toEqual(["text_content two", "state_change completed"]);
  expect(opened.map(({ modelKey }) => modelKey)).toEqual(["client-key", "client-key"]);
});

test("a user cannot change the key of another user's session [SRV-01, SEC-05]", async () => {
  const store = openMemoryStore();
  const opened: OpenAgentOptions[] = [];
  const openAgent = (options: OpenAgentOptions) => {
    opened.push(options);
    return createScriptedAgent()(options);
  };
  await using stage = await openStage({ store, openAgent });
  const keyed = (apiKey: string) => ({ contextId: "c", agentSettings: { apiKey } });
  const { taskId } = await stage.create(keyed("ada's key"));

  const stolen = await stage.post("", keyed("eve's key"), { "X-Test-User": "eve" });
  // The owner sends another key, so the session is opened again.
  await stage.create(keyed("ada's second key"));
  const events = await stage.execute(taskId, { message: "hi" });

  expect([stolen.status, await stolen.json()]).toMatchObject([404, { code: "task-not-found" }]);
  expect(events.at(-1)).toMatchObject({ state: "completed" });
  expect(opened.map(({ modelKey }) => modelKey)).toEqual(["ada's key", "ada's second key"]);
});

test("the key of a session that could not be opened is forgotten [SRV-01, SEC-05]", async () => {
  const opened: OpenAgentOptions[] = [];
  const openAgent = async (options: OpenAgentOptions) => {
    opened.push(options);
    if (opened.length === 1) throw new ProtocolError("invalid-message", "model: not available");
    return await createScriptedAgent()(options);
  };
  await using stage = await openStage({ openAgent });

  const refused = await stage.post("", { contextId: "c", agentSettings: { apiKey: "a key" } });
  const created = await stage.call("", {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Test-User": "eve" },
    body: '{"contextId":"c"}',
  });

  expect([refused.status, created.status]).toEqual([400, 201]);
  expect(opened.map(({ modelKey }) => modelKey)).toEqual(["a key", undefined]);
});
