import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { DEVELOPMENT_TOOL_URI, ProtocolError, SESSION_URI } from "@dt/schema";
import { expect, test } from "vitest";
import { createScriptedAgent } from "../testing/fake-agent.js";
import { openTestServer } from "../testing/open-test-server.js";
import { sendSse } from "./sse-response.js";

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

const message = (text: string, overrides: object = {}) => ({
  kind: "message",
  role: "user",
  messageId: randomUUID(),
  parts: [{ kind: "text", text }],
  ...overrides,
});

async function post(
  url: string,
  method: string,
  params: unknown,
  { headers = {}, signal }: { headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<Response> {
  return await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    ...(signal && { signal }),
  });
}

/** Reads a stream up to a piece of text, or to its end. */
function read(response: Response) {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  return {
    async until(piece: string): Promise<string> {
      while (!text.includes(piece)) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`the stream ended without ${piece}: ${text}`);
        text += value;
      }
      return text;
    },
    async toEnd() {
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        text += value;
      }
      return eventsIn(text);
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into foreign JSON.
async function jsonOf(response: Response): Promise<any> {
  return await response.json();
}

function eventsIn(text: string) {
  return text
    .split("\n\n")
    .filter((block) => /^data:/m.test(block))
    .map((block) => ({
      id: /^id: (.*)$/m.exec(block)?.[1],
      result: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? "null").result,
    }));
}

test("a stream begins with a comment, and sends heartbeats while the agent is silent", async () => {
  const { opened, open } = gate();
  await using server = await openTestServer({
    heartbeatMs: 20,
    openAgent: createScriptedAgent(async () => {
      await opened;
    }),
  });

  const stream = read(await post(server.url, "message/stream", { message: message("go") }));
  const before = await stream.until(": heartbeat");
  open();
  const events = await stream.toEnd();

  expect(before.startsWith(": open\n\n")).toBe(true);
  expect(events.at(-1)?.result.status.state).toBe("completed");
});

test("a prompt whose session opens slowly gets headers first, and its refusal as an event", async () => {
  const { opened, open } = gate();
  await using server = await openTestServer({
    heartbeatMs: 20,
    openAgent: async () => {
      await opened;
      throw new ProtocolError("agent-busy", "no agent is free");
    },
  });

  const response = await post(server.url, "message/stream", { message: message("go") });
  open();
  const text = await read(response).until("no agent is free");

  expect(response.status).toBe(200);
  expect(text).toMatch(/^: open\n\n(: heartbeat\n\n)*data: /);
});

test("two streams of one task get the same events in the same order", async () => {
  const { opened, open } = gate();
  await using server = await openTestServer({
    openAgent: createScriptedAgent(async (turn) => {
      await opened;
      for (let index = 0; index < 600; index += 1) await turn.say(`${index} `);
    }),
  });
  const first = read(await post(server.url, "message/stream", { message: message("go") }));
  const head = await first.until('"working"');
  const id = eventsIn(head)[0]?.result.id;
  const second = read(await post(server.url, "tasks/resubscribe", { id }));
  await second.until('"kind":"task"');

  open();
  const [one, two] = await Promise.all([first.toEnd(), second.toEnd()]);

  expect(two.slice(1)).toEqual(one.slice(-two.length + 1));
  expect(two.filter(({ result }) => result.status?.message)).toHaveLength(600);
  expect(server.faults).toEqual([]);
});

test("a turn continues while its client is gone, and the client resumes after its last event [LOG-02]", async () => {
  const { opened, open } = gate();
  await using server = await openTestServer({
    openAgent: createScriptedAgent(async (turn) => {
      await turn.say("before");
      await opened;
      await turn.say("after");
    }),
  });
  const leaving = new AbortController();
  const response = await post(
    server.url,
    "message/stream",
    { message: message("go") },
    { signal: leaving.signal },
  );
  // Each text is sent as an artifact chunk first, and then as a status message of the role `agent`.
  const seen = eventsIn(await read(response).until('"role":"agent"'));

  leaving.abort();
  open();
  const rest = await read(
    await post(
      server.url,
      "tasks/resubscribe",
      { id: seen[0]?.result.id },
      { headers: { "Last-Event-ID": seen.at(-1)?.id ?? "" } },
    ),
  ).toEnd();

  expect(rest.map(({ result }) => result.status?.message?.parts[0].text ?? result.kind)).toEqual([
    "artifact-update",
    "after",
    "artifact-update",
    "status-update",
  ]);
  expect(rest.at(-1)?.result).toMatchObject({ status: { state: "completed" }, final: true });
  expect(server.faults).toEqual([]);
});

test("only a blocking message/send waits for the end of the turn", async () => {
  const { opened, open } = gate();
  await using server = await openTestServer({
    openAgent: createScriptedAgent(async (turn) => {
      await opened;
      await turn.say("done");
    }),
  });
  const contextId = randomUUID();

  const started = await jsonOf(
    await post(server.url, "message/send", {
      message: message("go", { contextId }),
      configuration: { blocking: false },
    }),
  );
  open();
  const finished = await jsonOf(
    await post(server.url, "message/send", { message: message("more", { contextId }) }),
  );

  expect(started.result).toMatchObject({ kind: "task", status: { state: "working" } });
  expect(finished.result).toMatchObject({
    status: { state: "completed" },
    artifacts: [{ parts: [{ text: "done" }] }],
  });
});

test("a message that arrives during a turn is queued, and its stream reports the queue", async () => {
  const { opened, open } = gate();
  await using server = await openTestServer({
    openAgent: createScriptedAgent(async (turn) => {
      if (turn.text === "first") await opened;
      await turn.say(turn.text);
    }),
  });
  const contextId = randomUUID();
  const metadata = { [DEVELOPMENT_TOOL_URI]: { workspace_path: server.workspacePath } };
  const settings = { contextId, metadata };
  const first = read(
    await post(server.url, "message/stream", { message: message("first", settings) }),
  );
  await first.until('"working"');

  const inWords = read(
    await post(server.url, "message/stream", { message: message("second", { contextId }) }),
  );
  await inWords.until("queued behind 1 prompt");
  const asQueue = read(
    await post(
      server.url,
      "message/stream",
      { message: message("third", { contextId }) },
      { headers: { "X-A2A-Extensions": SESSION_URI } },
    ),
  );
  const queue = eventsIn(await asQueue.until('"QUEUE"'));
  open();
  const [second, third] = await Promise.all([inWords.toEnd(), asQueue.toEnd()]);

  expect(second[0]?.result).toMatchObject({ kind: "task", status: { state: "submitted" } });
  expect(second.at(-1)?.result).toMatchObject({ status: { state: "completed" }, final: true });
  expect(queue.at(-1)?.result.status.message.parts[0].data.prompts).toHaveLength(2);
  expect(third.at(-1)?.result.final).toBe(true);
  await first.toEnd();
});

test("the stream of a queued prompt ends when the prompt is withdrawn", async () => {
  const { opened, open } = gate();
  await using server = await openTestServer({
    openAgent: createScriptedAgent(async () => {
      await opened;
    }),
  });
  const metadata = { [DEVELOPMENT_TOOL_URI]: { workspace_path: server.workspacePath } };
  const first = read(
    await post(server.url, "message/stream", { message: message("first", { metadata }) }),
  );
  const taskId = eventsIn(await first.until('"working"'))[0]?.result.id;
  const second = read(
    await post(server.url, "message/stream", {
      message: message("second", { taskId, extensions: [DEVELOPMENT_TOOL_URI] }),
    }),
  );
  await second.until("queued behind 1 prompt");

  await post(server.url, "tasks/cancel", { id: taskId });
  const [ended, withdrawn] = await Promise.all([first.toEnd(), second.toEnd()]);

  expect(ended.at(-1)?.result).toMatchObject({ status: { state: "canceled" }, final: true });
  expect(withdrawn).toHaveLength(2);
  expect(withdrawn.at(-1)?.result).toMatchObject({ status: { state: "canceled" }, final: true });
  open();
});

test("a message that is sent again during or after its turn is delivered only once [LOG-05]", async () => {
  const { opened, open } = gate();
  let turns = 0;
  await using server = await openTestServer({
    openAgent: createScriptedAgent(async (turn) => {
      turns += 1;
      await opened;
      await turn.say("once");
    }),
  });
  const params = { message: message("go") };

  const first = read(await post(server.url, "message/stream", params));
  await first.until('"working"');
  const second = read(await post(server.url, "message/stream", params));
  await second.until('"working"');
  open();
  const streams = await Promise.all([first.toEnd(), second.toEnd()]);
  const later = await read(await post(server.url, "message/stream", params)).toEnd();

  expect(turns).toBe(1);
  const [whole = [], joined = []] = streams;
  // The stream of each re-sent message begins with the current task.
  expect(joined[0]?.result).toMatchObject({ kind: "task", status: { state: "working" } });
  expect(joined.slice(1)).toEqual(whole.slice(-joined.length + 1));
  expect(later.map(({ result }) => result)).toMatchObject([
    { kind: "task", status: { state: "completed" } },
  ]);
});

test("a message is refused before delivery if its user has too many streams", async () => {
  const { opened, open } = gate();
  let turns = 0;
  await using server = await openTestServer({
    maxStreams: 1,
    openAgent: createScriptedAgent(async () => {
      turns += 1;
      await opened;
    }),
  });
  const first = read(await post(server.url, "message/stream", { message: message("go") }));
  await first.until('"working"');

  const refused = await post(server.url, "message/stream", { message: message("more") });
  const failure = await refused.text();
  open();
  await first.toEnd();
  const later = await read(
    await post(server.url, "message/stream", { message: message("again") }),
  ).toEnd();

  expect(failure).toContain("-32051");
  expect(turns).toBe(2);
  expect(later.at(-1)?.result.status.state).toBe("completed");
});

test("a prompt with a push config is refused if push is off", async () => {
  await using server = await openTestServer({ push: false });

  const response = await post(server.url, "message/send", {
    message: message("go"),
    configuration: { pushNotificationConfig: { url: "https://callback.example" } },
  });

  expect((await jsonOf(response)).error.code).toBe(-32003);
});

test("a stream pulls no more than its socket can buffer while the client does not read [LOG-04]", async () => {
  const frame = { json: JSON.stringify("x".repeat(16 * 1024)) };
  let pulled = 0;
  const gone = new AbortController();
  async function* endless() {
    for (;;) {
      pulled += 1;
      yield Array.from({ length: 16 }, () => frame);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  const asked = gate();
  const server = createServer((_request, response) => {
    response.on("close", () => gone.abort());
    void sendSse(response, { batches: endless(), signal: gone.signal });
    asked.open();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.pause();
  socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await asked.opened;

  // The stream has stopped when nothing was pulled for 200 iterations of the event loop.
  let last = -1;
  let still = 0;
  while (still < 200) {
    still = pulled === last ? still + 1 : 0;
    last = pulled;
    await new Promise((resolve) => setImmediate(resolve));
  }

  expect(pulled).toBeGreaterThan(0);
  expect(pulled * 16 * 16 * 1024).toBeLessThan(16 * 1024 * 1024);
  socket.destroy();
  await once(gone.signal, "abort");
  server.close();
});
