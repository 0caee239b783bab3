// These tests pass arguments that only a JavaScript program can pass.
import { isProtocolError, SetupError } from "@dt/schema";
import { expect, test } from "vitest";
import { connect } from "./connect.js";
import type { ConnectionState } from "./index.js";
import { createFakeAgent } from "./testing/index.js";

test.each([
  [null, "options: expected an object, not null"],
  ["secret", "options: expected an object, not a string"],
  [{ clientName: 7 }, "clientName: expected a string, not a number"],
  [{ token: null }, "token: expected a string or a function, not null"],
  [{ headers: "X-Key: secret" }, "headers: expected an object or a function, not a string"],
  [{ fetch: {} }, "fetch: expected a function, not an object"],
  [{ WebSocket: {} }, "WebSocket: expected a function, not an object"],
  [{ silenceMs: "secret" }, "silenceMs: expected a number from 0 on, not a string"],
  [{ reconnect: 5 }, "reconnect: expected an object, not a number"],
  [{ timeoutMs: "secret" }, "timeoutMs: expected a number from 0 on, not a string"],
  [{ keepsOrigin: "yes" }, "keepsOrigin: expected true or false, not a string"],
  [{ reconnect: { baseMs: -1 } }, "reconnect.baseMs: expected a number from 0 on, not -1"],
  [{ reconnect: { maxMs: Number.NaN } }, "reconnect.maxMs: expected a number from 0 on, not NaN"],
])("connect refuses %j and names the expected type", async (options, message) => {
  const agent = createFakeAgent();

  const refused = await connect(agent.url, options as never).catch((reason: unknown) => reason);

  expect(refused).toBeInstanceOf(SetupError);
  expect((refused as Error).message).toContain(message);
  expect((refused as Error).message).not.toContain("secret");
});

test.each([
  [{ Token: "secret" }, "unknown option Token; did you mean token?"],
  [{ clientname: "x" }, "unknown option clientname; did you mean clientName?"],
  [{ silenceMS: 5 }, "unknown option silenceMS; did you mean silenceMs?"],
  [{ timeout: 5 }, "unknown option timeout; did you mean timeoutMs?"],
  [{ websocket: undefined }, "unknown option websocket; did you mean WebSocket?"],
  [{ reconnect: { max: 5 } }, "unknown option reconnect.max; did you mean reconnect.maxMs?"],
])("connect refuses the misspelt option in %j and suggests one", async (options, message) => {
  const agent = createFakeAgent();

  const refused = await connect(agent.url, options as never).catch((reason: unknown) => reason);

  expect(refused).toBeInstanceOf(SetupError);
  expect((refused as Error).message).toBe(message);
});

test("startTask() and events() refuse a misspelt option, and the errors say which one to use", async () => {
  const client = await createFakeAgent().connect();
  const task = await client.startTask({ prompt: "hi", workspacePath: "/w" });
  const workspace = { prompt: "hi", workspace: "/w" };
  const settings = { prompt: "hi", workspacePath: "/w", settings: { allowTools: [] } };

  const refusals = [
    await client.startTask(workspace as never).catch((reason: unknown) => String(reason)),
    await client.startTask(settings as never).catch((reason: unknown) => String(reason)),
    refusalOf(() => task.events({ cursor: "0" } as never)),
  ];
  client.close();

  expect(refusals).toEqual([
    "ProtocolError: unknown option workspace; did you mean workspacePath?",
    "ProtocolError: unknown option settings.allowTools; did you mean settings.allowedTools?",
    "ProtocolError: unknown option cursor; use after or signal",
  ]);
});

function refusalOf(call: () => unknown): string {
  try {
    call();
    return "not refused";
  } catch (reason) {
    return String(reason);
  }
}

test("connect accepts a name and a token that look like a negative number", async () => {
  const client = await createFakeAgent({ token: "-5" }).connect({ clientName: "-5", token: "-5" });

  expect(client.connection.status).toBe("connected");
});

test.each([
  [undefined, "startTask: expected { prompt, … }"],
  [null, "startTask: expected { prompt, … }"],
  ["hi", "startTask: expected { prompt, … }"],
])("startTask refuses %j and names the expected type", async (options, message) => {
  const client = await createFakeAgent().connect();

  const refused = await client.startTask(options as never).catch((reason: unknown) => reason);

  expect(isProtocolError(refused) && refused.code).toBe("invalid-message");
  expect(String(refused)).toContain(message);
});

test.each([["memory add"], [undefined], [[]], [[7]]])(
  "the value %j is refused as the path of a command",
  async (path) => {
    const client = await createFakeAgent().connect();

    const refused = await client.run(path as never).catch((reason: unknown) => reason);

    expect(isProtocolError(refused) && refused.code).toBe("invalid-message");
    expect(String(refused)).toContain('path: expected a list of names, such as ["memory", "add"]');
  },
);

test("absent fields of reconnect have their defaults", async () => {
  const agent = createFakeAgent();
  const client = await agent.connect({ reconnect: { maxAttempts: 2 } });
  const states: ConnectionState[] = [];
  client.onConnectionChange((state) => states.push(state));
  agent.network.goOffline();

  await client.commands().catch(() => {});

  const [waiting] = states.flatMap((state) =>
    state.status === "reconnecting" ? [state.retryInMs] : [],
  );
  expect(waiting).toBeGreaterThanOrEqual(100);
  expect(waiting).toBeLessThanOrEqual(200);
  expect(states.at(-1)?.status).toBe("disconnected");
});
