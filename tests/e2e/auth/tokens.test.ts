import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { DEVELOPMENT_TOOL_URI } from "@dt/schema";
import { buildQuestion } from "@dt/schema/testing";
import { encodeTokenProtocol } from "@dt/schema/wire";
import { createLogger, issueToken } from "@dt/server";
import type { TurnScript } from "@dt/server/testing";
import { status } from "@grpc/grpc-js";
import { expect, test } from "vitest";
import WebSocket from "ws";
import { openRawGrpc, readUntil } from "../grpc/grpc-client.js";
import { openStage } from "../support/open-stage.js";
import { parseEvents } from "../support/raw-rpc.js";
import { openTokenStage, rpc, sendAs } from "./token-stage.js";

/** An agent that asks a question in each turn and waits for the answer. */
const asking: TurnScript = async ({ ask }) => {
  await ask(buildQuestion());
  return undefined;
};

const message = (text: string) => ({
  kind: "message",
  messageId: randomUUID(),
  role: "user",
  parts: [{ kind: "text", text }],
});

/** Prompts over JSON-RPC; resolves with the task. */
async function prompt(url: string, token: string, text = "hi") {
  const response = await sendAs(url, {
    token,
    body: rpc("message/send", { message: message(text) }),
  });
  return (await response.json()).result;
}

/** Reads a stream until it ends, and keeps its text. */
function follow(response: Response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const ended = (async () => {
    for (;;) {
      const next = await reader?.read().catch(() => ({ done: true, value: undefined }));
      if (next?.done !== false) return text;
      text += next.value;
    }
  })();
  return { ended, text: () => text };
}

test("a token admits its user on every binding [SEC-03, SRV-18]", async () => {
  await using stage = await openTokenStage();
  using grpc = openRawGrpc(stage.grpcAddress);
  const token = await stage.token("ada");

  const { id } = await prompt(stage.url, token);
  const rest = await (await sendAs(`${stage.url}v1/tasks/${id}`, { token })).json();
  const reference = await (await sendAs(`${stage.url}tasks/${id}`, { token })).json();
  const metadata = await sendAs(`${stage.url}tasks/${id}/metadata`, { token });
  const called = await grpc.send(
    "getTask",
    { id },
    { headers: { authorization: `Bearer ${token}` } },
  );
  const socket = new WebSocket(stage.wsUrl, ["dt.a2a.v1", encodeTokenProtocol(token)]);
  await once(socket, "open");
  socket.terminate();

  expect([rest.id, reference.id, called.id, metadata.status]).toEqual([id, id, id, 200]);
});

test.for([
  ["no token", undefined],
  ["a text that is no token", "secret"],
  ["a damaged token", "dt_0123456789abcdef_short"],
  ["an unknown token", `dt_0123456789abcdef_${"x".repeat(43)}`],
] as const)("a request with %s is refused with 401", async ([, token]) => {
  await using stage = await openTokenStage();

  const response = await sendAs(stage.url, { token, body: rpc("tasks/list", {}) });

  expect(response.status).toBe(401);
  expect((await response.json()).error).toMatchObject({ code: -32057 });
});

test("a token with a wrong secret is refused, even if its id exists", async () => {
  await using stage = await openTokenStage();
  const token = await stage.token("ada");
  const wrong = token.replace(/.$/, (last) => (last === "A" ? "B" : "A"));

  const response = await sendAs(`${stage.url}v1/tasks`, { token: wrong });

  expect(response.status).toBe(401);
  expect(response.headers.get("WWW-Authenticate")).toContain("the token is not valid");
});

test("a token in the URL is ignored", async () => {
  await using stage = await openTokenStage();
  const token = await stage.token("ada");

  const answers = await Promise.all(
    [
      `v1/tasks?token=${token}`,
      `v1/tasks?access_token=${token}`,
      `v1/tasks?Authorization=Bearer ${token}`,
    ].map((path) => sendAs(`${stage.url}${path}`)),
  );

  expect(answers.map(({ status: code }) => code)).toEqual([401, 401, 401]);
});

test("an expired token is refused, and its open stream ends with the reason", async () => {
  let now = Date.now();
  await using stage = await openTokenStage({
    server: { now: () => new Date(now) },
    script: asking,
  });
  const token = await issueToken(stage.store, {
    user: "ada",
    name: "laptop",
    role: "admin",
    now: new Date(now),
    lifetimeMs: 60_000,
  });
  const { id } = await prompt(stage.url, token, "ask");
  const stream = follow(await sendAs(stage.url, { token, body: rpc("tasks/resubscribe", { id }) }));

  now += 60_000;

  expect(await stream.ended).toContain("the token has expired");
  expect((await sendAs(`${stage.url}v1/tasks`, { token })).status).toBe(401);
});

test("revoking a token ends its streams on every binding with the reason [SEC-03]", async () => {
  await using stage = await openTokenStage({ script: asking });
  using grpc = openRawGrpc(stage.grpcAddress);
  const token = await stage.token("ada", "admin", { name: "phone" });
  const other = await stage.token("ada", "admin", { name: "laptop" });
  const { id } = await prompt(stage.url, token, "ask");
  const headers = { authorization: `Bearer ${token}` };
  const sse = follow(await sendAs(stage.url, { token, body: rpc("tasks/resubscribe", { id }) }));
  const rest = follow(await sendAs(`${stage.url}v1/tasks/${id}:subscribe`, { token }));
  const call = grpc.stream("subscribeToTask", { id }, { headers });
  await readUntil(call, () => true);
  const socket = new WebSocket(stage.wsUrl, ["dt.a2a.v1"], { headers });
  await once(socket, "open");
  const kept = follow(await sendAs(`${stage.url}v1/tasks/${id}:subscribe`, { token: other }));
  const failed = once(call, "error");

  await stage.store.revokeToken({ user: "ada", name: "phone" }, new Date().toISOString());

  expect(await sse.ended).toMatch(/"code":-32057,"message":"the token was revoked/);
  expect(await rest.ended).toMatch(/event: error\ndata: .*the token was revoked/);
  expect(await failed).toMatchObject([{ code: status.UNAUTHENTICATED }]);
  const [code, reason] = await once(socket, "close");
  expect([code, String(reason)]).toEqual([4401, expect.stringContaining("the token was revoked")]);
  expect((await sendAs(`${stage.url}v1/tasks`, { token })).status).toBe(401);
  expect(kept.text()).not.toContain("revoked");
  expect((await sendAs(`${stage.url}v1/tasks/${id}`, { token: other })).status).toBe(200);
  expect(stage.faults).toEqual([]);
});

test("a stream ends when its token is revoked, even after client/end was sent with that token [SEC-03]", async () => {
  await using stage = await openTokenStage({ script: asking });
  const token = await stage.token("ada", "admin", { name: "phone" });
  const { id } = await prompt(stage.url, token, "ask");
  await sendAs(stage.url, { token, body: rpc("client/end", {}) });
  const stream = follow(await sendAs(`${stage.url}v1/tasks/${id}:subscribe`, { token }));

  await stage.store.revokeToken({ user: "ada", name: "phone" }, new Date().toISOString());

  expect(await stream.ended).toContain("the token was revoked");
});

test("the extended card of A2A 0.3 over HTTP+JSON has the name of the caller", async () => {
  await using stage = await openTokenStage();
  const token = await stage.token("ada", "admin", { name: "phone" });

  const card = await (await sendAs(`${stage.url}v0.3/v1/card`, { token })).json();

  expect(card).toMatchObject({ protocolVersion: "0.3.0", name: expect.any(String) });
  expect(JSON.stringify(card)).toContain("ada/phone");
});

test("the time of the last use of a token is stored", async () => {
  await using stage = await openTokenStage();
  const token = await stage.token("ada");

  const [before] = await stage.store.listTokens();
  await sendAs(`${stage.url}v1/tasks`, { token });

  await expect
    .poll(async () => (await stage.store.listTokens())[0]?.lastUsedAt)
    .toEqual(expect.stringContaining("T"));
  expect(before?.lastUsedAt).toBeUndefined();
});

test("neither the store nor the log contains the secret of a token [SEC-05]", async () => {
  const lines: string[] = [];
  const logger = createLogger({ level: "debug", write: (line) => lines.push(line) });
  await using stage = await openTokenStage({ server: { logger } });
  const token = await stage.token("ada");
  const secret = token.slice(-43);

  await prompt(stage.url, token);
  await sendAs(`${stage.url}v1/tasks?x=${token}`, { token: `${token}x` });
  logger.info({ text: `a note with ${token}` }, "note");

  expect(lines.join("")).toContain("[redacted]");
  expect(lines.join("")).not.toContain(secret);
  expect(JSON.stringify(await stage.store.listTokens())).not.toContain(secret);
});

test("the events of a prompt's turn contain the tier of the user who sent the prompt", async () => {
  await using stage = await openStage({ server: { isAuthRequired: true } });
  const token = await stage.token("ada", { tier: "gold" });
  const sent = {
    ...message("say hello"),
    metadata: { [DEVELOPMENT_TOOL_URI]: { workspace_path: stage.workspace.root } },
  };

  const response = await sendAs(stage.url, {
    token,
    body: rpc("message/stream", { message: sent }),
  });

  const tiers = parseEvents(await response.text()).flatMap(
    ({ json }) => json.result.metadata?.[DEVELOPMENT_TOOL_URI]?.user_tier ?? [],
  );
  expect(new Set(tiers)).toEqual(new Set(["gold"]));
});
