import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import http from "node:http";
import { connect } from "node:net";
import path from "node:path";
import { gzipSync } from "node:zlib";
import type { Model, ModelPart } from "@dt/agent-core";
import { DEVELOPMENT_TOOL_URI, type JsonObject, MAX_JSON_DEPTH, START_CURSOR } from "@dt/schema";
import { openMemoryStore, type SessionStore } from "@dt/server";
import { expect, test } from "vitest";
import { openStage } from "./support/open-stage.js";
import { post, readStream } from "./support/raw-rpc.js";

const message = (overrides: object = {}) => ({
  kind: "message",
  role: "user",
  messageId: randomUUID(),
  parts: [{ kind: "text", text: "say hello" }],
  ...overrides,
});

const withSettings = (settings: object) =>
  message({ metadata: { [DEVELOPMENT_TOOL_URI]: settings } });

/** A memory store that counts its commits. */
function countingStore(): SessionStore & { readonly commits: number } {
  const store = openMemoryStore();
  let commits = 0;
  return {
    ...store,
    get commits() {
      return commits;
    },
    async commit(batch) {
      commits += 1;
      return await store.commit(batch);
    },
  };
}

const faulty: readonly {
  readonly what: string;
  readonly params: unknown;
  readonly code: number;
  readonly says: string;
  readonly method?: string;
}[] = [
  { what: "parameters without a message", params: {}, code: -32602, says: "message: required" },
  {
    what: "a list as parameters",
    params: [],
    code: -32602,
    says: "params: expected an object",
  },
  {
    what: "a string as message",
    params: { message: "hi" },
    code: -32602,
    says: "message: expected an object",
  },
  {
    what: "empty parts",
    params: { message: message({ parts: [] }) },
    code: -32602,
    says: "message.parts: expected at least one part",
  },
  {
    what: "a string as parts",
    params: { message: message({ parts: "x" }) },
    code: -32602,
    says: "message.parts: expected a list",
  },
  {
    what: "a nested field of a wrong type",
    params: { message: message({ parts: [{ kind: "text", text: 5 }] }) },
    code: -32602,
    says: "message.parts[0].text: expected a string",
  },
  {
    what: "a part of an unknown kind",
    params: { message: message({ parts: [{ kind: "video" }] }) },
    code: -32602,
    says: "message.parts[0].kind: expected text, data or file",
  },
  {
    what: "a missing message id",
    params: { message: message({ messageId: undefined }) },
    code: -32602,
    says: "message.messageId: expected a string",
  },
  {
    what: "a missing workspace path",
    params: { message: message({ extensions: [DEVELOPMENT_TOOL_URI] }) },
    code: -32602,
    says: "workspace_path: required",
  },
  {
    what: "an empty workspace path",
    params: { message: withSettings({ workspace_path: "" }) },
    code: -32602,
    says: "workspace_path: required",
  },
  {
    what: "a workspace path of a wrong type",
    params: { message: withSettings({ workspace_path: 7 }) },
    code: -32602,
    says: "workspace_path: expected a string",
  },
  {
    what: "a relative workspace path",
    params: { message: withSettings({ workspace_path: "src" }) },
    code: -32602,
    says: "workspace_path: expected an absolute path",
  },
  {
    what: "a workspace that does not exist",
    params: { message: withSettings({ workspace_path: "/nowhere/at/all" }) },
    code: -32602,
    says: "workspace_path: there is no directory /nowhere/at/all",
  },
  {
    what: "a workspace outside the roots",
    params: { message: withSettings({ workspace_path: "/" }) },
    code: -32053,
    says: "workspace_path: / lies outside the directories that this server may work in; the operator can add it to DT_WORKSPACE_ROOTS",
  },
  {
    what: "settings of a wrong type",
    params: { message: withSettings({ workspace_path: "/tmp", allowed_tools: "all" }) },
    code: -32602,
    says: "allowed_tools: expected a list",
  },
  {
    what: "a message to an unknown task",
    params: { message: message({ taskId: "nope" }) },
    code: -32001,
    says: "there is no task nope",
  },
  {
    what: "an answer without a task id",
    params: {
      message: message({
        parts: [{ kind: "data", data: { tool_call_id: "x", selected_option_id: "cancel" } }],
      }),
    },
    code: -32602,
    says: "message.taskId: an answer must name the task",
  },
  {
    what: "the id of an unknown task",
    method: "tasks/get",
    params: { id: "nope" },
    code: -32001,
    says: "there is no task nope",
  },
  {
    what: "parameters without a task id",
    method: "tasks/get",
    params: {},
    code: -32602,
    says: "id: expected a string",
  },
  {
    what: "the id of an unknown task to subscribe to",
    method: "tasks/resubscribe",
    params: { id: "nope" },
    code: -32001,
    says: "there is no task nope",
  },
  {
    what: "an unknown method",
    method: "tasks/destroy",
    params: {},
    code: -32601,
    says: "there is no method tasks/destroy",
  },
];

for (const { what, method = "message/stream", params, code, says } of faulty) {
  test(`a request with ${what} gets an error that names the fault, and creates no task [RFC-08]`, async () => {
    const store = countingStore();
    await using stage = await openStage({ server: { store } });

    const response = await post(stage.url, method, params);
    const text = await response.text();

    // A refused stream of A2A 0.3 can send its error as an SSE event, because clients of A2A 0.3 read only
    // events. On a slow machine, an SSE comment comes before that event.
    const body = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
    expect(body).toMatchObject({ jsonrpc: "2.0", id: 7, error: { code } });
    expect(body.error.message).toContain(says);
    expect(text).not.toMatch(/<html|node_modules|\bat .*:\d+:\d+/);
    expect(store.commits).toBe(0);
    expect(stage.faults).toEqual([]);
  });
}

const bodies = [
  { what: "broken JSON", body: "{", status: 400, code: -32700 },
  { what: "an empty body", body: "", status: 200, code: -32600 },
  { what: "a batch of requests", body: "[]", status: 200, code: -32600 },
  { what: "a body that is a number", body: "5", status: 200, code: -32600 },
  {
    what: "a request of JSON-RPC 1.0",
    body: '{"jsonrpc":"1.0","method":"x"}',
    status: 200,
    code: -32600,
  },
  {
    what: "a request without a method",
    body: '{"jsonrpc":"2.0","id":1}',
    status: 200,
    code: -32600,
  },
  {
    what: "a request whose id is an object",
    body: '{"jsonrpc":"2.0","id":{},"method":"x"}',
    status: 200,
    code: -32600,
  },
  {
    what: "a request with an id of 257 characters",
    body: JSON.stringify({ jsonrpc: "2.0", id: "x".repeat(257), method: "x" }),
    status: 200,
    code: -32600,
  },
  { what: "an oversized body", body: JSON.stringify("x".repeat(2000)), status: 413, code: -32054 },
];

for (const { what, body, status, code } of bodies) {
  test(`${what} is answered with a JSON-RPC error`, async () => {
    await using stage = await openStage({ server: { maxBodyBytes: 1000 } });

    const response = await fetch(stage.url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body,
    });

    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ jsonrpc: "2.0", error: { code } });
  });
}

const compressed = gzipSync("{}");
for (const [what, encoding, body] of [
  ["is not compressed", "gzip", Buffer.from("{}")],
  ["is truncated", "gzip", compressed.subarray(0, -9)],
  ["is compressed in another format", "br", compressed],
] as const) {
  test(`a body that declares a Content-Encoding but ${what} is refused with 400 [RFC-08]`, async () => {
    await using stage = await openStage();
    const headers = { "Content-Type": "application/json", "Content-Encoding": encoding };

    const response = await fetch(stage.url, { method: "POST", headers, body });

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: -32700, message: "the body does not match its Content-Encoding" },
    });
    expect(stage.faults).toEqual([]);
  });
}

test("a request with a too large Content-Length is refused before its body arrives", async () => {
  await using stage = await openStage({ server: { maxBodyBytes: 1000 } });
  const head = `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n`;
  const socket = connect(stage.server.port, "127.0.0.1");
  socket.write(`${head}Content-Length: 2000\r\n\r\n{`);

  let answer = "";
  socket.on("data", (chunk) => {
    answer += chunk;
  });
  // The client never sends the remaining bytes, so the server must close the socket.
  await once(socket, "close");

  expect(answer).toMatch(/^HTTP\/1.1 413 /);
  expect(answer).toContain('"code":-32054');
});

test("a client that sends a whole oversized body gets 413 and can use its connection again", async () => {
  await using stage = await openStage({ server: { maxBodyBytes: 1000 } });
  const head = `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n`;
  const socket = connect(stage.server.port, "127.0.0.1");
  socket.write(`${head}Content-Length: 4000000\r\n\r\n${"x".repeat(4_000_000)}`);
  socket.write(`${head}Content-Length: 2\r\nConnection: close\r\n\r\n{}`);

  let answers = "";
  for await (const chunk of socket) answers += chunk;

  expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 413", "HTTP/1.1 200"]);
});

test("a body without a JSON content type is refused [SEC-01]", async () => {
  await using stage = await openStage();

  const response = await fetch(stage.url, { method: "POST", body: "{}" });

  expect(response.status).toBe(415);
  expect(await response.json()).toMatchObject({ error: { code: -32005 } });
});

test("a foreign Host or Origin is refused even on the route of the agent card [SEC-01]", async () => {
  await using stage = await openStage();
  const ask = (headers: http.OutgoingHttpHeaders) => cardStatus(stage.url, headers);

  expect(await ask({})).toBe(200);
  expect(await ask({ Host: "localhost:1234" })).toBe(200);
  expect(await ask({ Host: "evil.example" })).toBe(403);
  expect(await ask({ Host: "127.0.0.1.evil.example" })).toBe(403);
  expect(await ask({ Origin: "https://evil.example" })).toBe(403);
  expect(await ask({ Origin: "null" })).toBe(403);
});

test("a server accepts only local and configured names in the Host header [SEC-01]", async () => {
  await using stage = await openStage({ server: { allowedHosts: ["dt.example"] } });
  const ask = (host: string) => cardStatus(stage.url, { Host: host });

  expect(await ask("dt.example")).toBe(200);
  expect(await ask("DT.example:8443")).toBe(200);
  expect(await ask("localhost")).toBe(200);
  expect(await ask("evil.example")).toBe(403);
  expect(await ask("dt.example.evil.example")).toBe(403);
});

async function cardStatus(url: string, headers: http.OutgoingHttpHeaders) {
  return await new Promise<number | undefined>((resolve, reject) => {
    const request = http.get(`${url}.well-known/agent-card.json`, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on("error", reject);
  });
}

test("a server without authentication cannot listen on a public address [SEC-02]", async () => {
  await expect(openStage({ server: { host: "0.0.0.0" } })).rejects.toThrow("needs authentication");
});

test("a symbolic link that leads out of the roots is not accepted as a workspace [SEC-04]", async () => {
  await using stage = await openStage();
  const { symlink } = await import("node:fs/promises");
  await symlink("/", path.join(stage.workspace.root, "way-out"));
  await mkdir(path.join(stage.workspace.root, "inside"));
  const send = async (workspace_path: string) =>
    (
      await readStream(
        await post(stage.url, "message/stream", { message: withSettings({ workspace_path }) }),
      )
    )[0]?.json;

  const refused = await send(path.join(stage.workspace.root, "way-out", "tmp"));
  const accepted = await send(path.join(stage.workspace.root, "inside"));

  expect(refused.error.code).toBe(-32053);
  expect(accepted.result.kind).toBe("task");
});

test("a client that does not activate a required extension is refused [RFC-04]", async () => {
  await using stage = await openStage({ server: { isExtensionRequired: true } });

  const refused = await readStream(await post(stage.url, "message/stream", { message: message() }));
  const accepted = await readStream(
    await post(stage.url, "message/stream", {
      message: withSettings({ workspace_path: stage.workspace.root }),
    }),
  );

  expect(refused[0]?.json.error.code).toBe(-32008);
  expect(accepted[0]?.json.result.kind).toBe("task");
});

test("a re-sent message gets the task; with the start cursor, it gets all events instead [LOG-05]", async () => {
  await using stage = await openStage();
  const params = { message: withSettings({ workspace_path: stage.workspace.root }) };

  const first = await readStream(await post(stage.url, "message/stream", params));
  const second = await readStream(await post(stage.url, "message/stream", params));
  const whole = await readStream(
    await post(stage.url, "message/stream", params, { "Last-Event-ID": START_CURSOR }),
  );

  const { taskId: id, status } = first.at(-1)?.json.result ?? {};
  expect(second.map(({ json }) => json.result)).toMatchObject([
    { kind: "task", id, status: { state: status.state } },
  ]);
  expect(second[0]?.id).toBe(first.at(-1)?.id);
  expect(whole).toEqual(first);
});

test("a cursor of another session is refused [LOG-02]", async () => {
  await using stage = await openStage();
  const start = async () =>
    await readStream(
      await post(stage.url, "message/stream", {
        message: withSettings({ workspace_path: stage.workspace.root }),
      }),
    );
  const [one, two] = [await start(), await start()];

  const response = await post(
    stage.url,
    "tasks/resubscribe",
    { id: one[0]!.json.result.id },
    { "Last-Event-ID": two[1]!.id! },
  );

  expect((await readStream(response))[0]?.json.error.code).toBe(-32056);
});

test("a message that is sent eight times at once creates one task [LOG-05]", async () => {
  await using stage = await openStage();
  const params = { message: withSettings({ workspace_path: stage.workspace.root }) };

  const streams = await Promise.all(
    Array.from({ length: 8 }, async () =>
      readStream(await post(stage.url, "message/stream", params)),
    ),
  );

  expect(new Set(streams.map(([task]) => task?.json.result.id)).size).toBe(1);
});

test("simultaneous first messages of one new context create one session", async () => {
  await using stage = await openStage();
  const send = async () =>
    await readStream(
      await post(stage.url, "message/stream", {
        message: {
          ...withSettings({ workspace_path: stage.workspace.root }),
          contextId: "a-context-of-my-own",
        },
      }),
    );

  const streams = await Promise.all([send(), send(), send(), send()]);

  expect(streams.map(([task]) => task?.json.result?.contextId)).toEqual(
    Array(4).fill("a-context-of-my-own"),
  );
});

test("an empty Last-Event-ID is treated as no cursor [LOG-02]", async () => {
  await using stage = await openStage();
  const params = { message: withSettings({ workspace_path: stage.workspace.root }) };
  const events = await readStream(await post(stage.url, "message/stream", params));
  const resume = { id: events[0]!.json.result.id };

  const response = await post(stage.url, "tasks/resubscribe", resume, { "Last-Event-ID": "" });

  expect((await readStream(response))[0]?.json.result).toMatchObject({ kind: "task", ...resume });
});

test.each(["0.30", "0.3x", "10", "1", "1x", "0.2"])(
  "the unsupported A2A version %s is refused",
  async (version) => {
    await using stage = await openStage();

    const response = await post(stage.url, "tasks/get", { id: "x" }, { "A2A-Version": version });

    expect(await response.json()).toMatchObject({ error: { code: -32009 } });
  },
);

test("an unreadable cursor does not prevent a new message from being accepted", async () => {
  await using stage = await openStage();
  const params = { message: withSettings({ workspace_path: stage.workspace.root }) };

  const events = await readStream(
    await post(stage.url, "message/stream", params, { "Last-Event-ID": "junk" }),
  );

  expect(events.at(-1)?.json.result.status.state).toBe("completed");
});

test("a cursor beyond the end of the log is refused [LOG-02]", async () => {
  await using stage = await openStage();
  const params = { message: withSettings({ workspace_path: stage.workspace.root }) };
  const events = await readStream(await post(stage.url, "message/stream", params));
  const beyond = events[0]!.id!.replace(/^\d+/, "99999");

  const response = await post(
    stage.url,
    "tasks/resubscribe",
    { id: events[0]!.json.result.id },
    { "Last-Event-ID": beyond },
  );

  expect((await readStream(response))[0]?.json.error.code).toBe(-32056);
});

test("an answer whose task id or context id is not that of its question is refused", async () => {
  await using stage = await openStage();
  const send = async (fields: object) =>
    await readStream(await post(stage.url, "message/stream", { message: message(fields) }));
  const metadata = { [DEVELOPMENT_TOOL_URI]: { workspace_path: stage.workspace.root } };
  const done = await send({ metadata });
  const { id, contextId } = done[0]!.json.result;
  const asking = await send({
    contextId,
    extensions: [DEVELOPMENT_TOOL_URI],
    parts: [{ kind: "text", text: "write a.txt: x" }],
  });
  const question = asking.at(-1)!.json.result;
  const parts = [
    {
      kind: "data",
      data: {
        tool_call_id: question.status.message.parts[0].data.tool_call_id,
        selected_option_id: "proceed_once",
      },
    },
  ];

  const ofAnother = await send({ taskId: id, parts });
  const elsewhere = await send({ taskId: question.taskId, contextId: "elsewhere", parts });

  expect(ofAnother[0]?.json.error.code).toBe(-32052);
  expect(elsewhere[0]?.json.error).toMatchObject({ code: -32602 });
});

test("a later message of a session cannot change the workspace [SEC-04]", async () => {
  await using stage = await openStage();
  await mkdir(path.join(stage.workspace.root, "other"));
  const first = await readStream(
    await post(stage.url, "message/stream", {
      message: withSettings({ workspace_path: stage.workspace.root }),
    }),
  );

  const moved = await readStream(
    await post(stage.url, "message/stream", {
      message: {
        ...withSettings({ workspace_path: path.join(stage.workspace.root, "other") }),
        contextId: first[0]!.json.result.contextId,
      },
    }),
  );

  expect(moved[0]?.json.error).toMatchObject({ code: -32053 });
});

test("a message with too deeply nested data is refused while another message is accepted", async () => {
  await using stage = await openStage();
  // The data is written as text, because JSON.stringify fails at this depth.
  const deep = `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`;
  const metadata = { [DEVELOPMENT_TOOL_URI]: { workspace_path: stage.workspace.root } };
  const send = async (parts: string) => {
    const fields = JSON.stringify({ ...message({ metadata }), parts: undefined });
    const body = `{"jsonrpc":"2.0","id":1,"method":"message/stream","params":{"message":{${fields.slice(1, -1)},"parts":${parts}}}}`;
    const headers = { "Content-Type": "application/json" };
    return (await readStream(await fetch(stage.url, { method: "POST", headers, body })))[0]?.json;
  };

  const [refused, accepted] = await Promise.all([
    send(`[{"kind":"data","data":${deep}}]`),
    send('[{"kind":"text","text":"say hello"}]'),
  ]);

  expect(refused.error).toMatchObject({
    code: -32602,
    message: expect.stringContaining("nested deeper"),
  });
  expect(accepted.result.kind).toBe("task");
  expect(stage.faults).toEqual([]);
});

test("a message that is re-sent with a cursor gets only the events after that cursor [LOG-05]", async () => {
  await using stage = await openStage();
  const params = { message: withSettings({ workspace_path: stage.workspace.root }) };
  const first = await readStream(await post(stage.url, "message/stream", params));
  const end = first.at(-1)!.id!;

  const again = await readStream(
    await post(stage.url, "message/stream", params, { "Last-Event-ID": end }),
  );
  const middle = await readStream(
    await post(stage.url, "message/stream", params, { "Last-Event-ID": first[1]!.id! }),
  );

  expect(again).toEqual([]);
  expect(middle).toEqual(first.slice(2));
});

test("several answers in one message are accepted together or not at all", async () => {
  const write = (file_path: string): ModelPart => ({
    type: "tool-request",
    toolName: "write_file",
    input: { file_path, content: "x" },
  });
  const model: Model = {
    name: "two at once",
    async *stream({ history }) {
      const isAsked = history.at(-1)?.role === "user";
      yield* isAsked ? [write("a.txt"), write("b.txt")] : [{ type: "text", text: "done" } as const];
    },
  };
  await using stage = await openStage({ model });
  const asking = await readStream(
    await post(stage.url, "message/stream", {
      message: withSettings({ workspace_path: stage.workspace.root }),
    }),
  );
  const { taskId, status } = asking.at(-1)!.json.result;
  const [a, b] = status.message.parts.map(({ data }: { data: JsonObject }) => data.tool_call_id);
  const answer = (id: string, selected_option_id = "proceed_once") => ({
    kind: "data",
    data: { tool_call_id: id, selected_option_id },
  });
  const send = async (...parts: readonly object[]) =>
    (
      await readStream(
        await post(stage.url, "message/stream", { message: message({ taskId, parts }) }),
      )
    ).at(-1)?.json;

  const unasked = await send(answer(a), answer("nobody-asked"));
  const noChoice = await send(answer(a), answer(b, "perhaps"));
  await expect(stage.workspace.read("a.txt")).rejects.toThrow("ENOENT");
  const accepted = await send(answer(a), answer(b));

  expect(unasked.error).toMatchObject({ code: -32052 });
  expect(noChoice.error.message).toMatch(
    /no option perhaps, only .*; none of the answers was accepted/,
  );
  expect(accepted.result.status.state).toBe("completed");
  expect(await stage.workspace.read("a.txt")).toBe("x");
  expect(await stage.workspace.read("b.txt")).toBe("x");
});

test("a body with 4,000,000 opening brackets is refused because of its depth [SEC-09]", async () => {
  await using stage = await openStage({});
  const send = async (body: string) => {
    const headers = { "Content-Type": "application/json" };
    const response = await fetch(stage.url, { method: "POST", headers, body });
    return (await response.json()) as JsonObject;
  };

  const refused = {
    code: -32700,
    message: `the body is nested deeper than ${MAX_JSON_DEPTH} levels`,
  };
  expect(await send("[".repeat(4_000_000))).toMatchObject({ error: refused });
  expect(await send('{"a":'.repeat(800_000))).toMatchObject({ error: refused });
});
