import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { DEVELOPMENT_TOOL_URI, includesRole, type Role, SESSION_URI } from "@dt/schema";
import { buildQuestion } from "@dt/schema/testing";
import { type Right, ROLE_TABLE } from "@dt/server";
import type { TurnScript } from "@dt/server/testing";
import { status } from "@grpc/grpc-js";
import { expect, test } from "vitest";
import WebSocket from "ws";
import { openRawGrpc, readUntil } from "../grpc/grpc-client.js";
import { ROLE_BINDINGS } from "./role-bindings.js";
import type { RoleStage } from "./role-requests.js";
import { openTokenStage, rpc, sendAs } from "./token-stage.js";

const GRANTED: readonly Role[] = ["observe", "prompt", "approve"];
const EXTENSIONS = { "X-A2A-Extensions": `${DEVELOPMENT_TOOL_URI},${SESSION_URI}` };

/** An agent that asks a question if the prompt begins with "ask". */
const script: TurnScript = async ({ ask, text }) => {
  if (text.startsWith("ask")) await ask(buildQuestion({ toolCallId: `call-${text.slice(4)}` }));
  return undefined;
};

const message = (text: string, fields: object = {}) => ({
  kind: "message",
  messageId: randomUUID(),
  role: "user",
  parts: [{ kind: "text", text }],
  ...fields,
});

/** Opens a server with a session of "ada", whose task waits for an answer. */
async function openShared() {
  let now = Date.now();
  const stage = await openTokenStage({ script, server: { now: () => new Date(now) } });
  const ada = await stage.token("ada", "admin", { name: "first" });

  async function call(token: string, method: string, params: object) {
    const body = rpc(method, params);
    return await (await sendAs(stage.url, { token, body, headers: EXTENSIONS })).json();
  }

  const settings = { [DEVELOPMENT_TOOL_URI]: { workspace_path: stage.workspace.root } };
  const { result } = await call(ada, "message/send", {
    message: message("ask 1", { metadata: settings }),
  });
  const ids: RoleStage = {
    ...stage,
    workspacePath: stage.workspace.root,
    taskId: result.id,
    contextId: result.contextId,
    callId: "call-1",
  };
  return {
    ...stage,
    ids,
    ada,
    call,
    advance(ms: number) {
      now += ms;
    },
    share: async (fields: object) =>
      (await call(ada, "session/share", { context_id: ids.contextId, ...fields })).result,
    unshare: async (fields: object) =>
      (await call(ada, "session/unshare", { context_id: ids.contextId, ...fields })).result,
  };
}

/** Rights of requests that concern the caller's own sessions. No grant changes these rights. */
const OWN_RIGHTS: readonly Right[] = [
  "list",
  "list-metadata",
  "list-granted",
  "join-session",
  "extended-card",
  "end-client",
  "share-session",
  "unshare-session",
  "read-metrics",
];

test.for(Object.entries(ROLE_BINDINGS))(
  "over %s, a guest has the lower of two roles: the token's and the grant's [TEAM-01, SEC-03]",
  async ([, binding]) => {
    await using stage = await openShared();
    const allowed: Record<string, string[]> = {};
    const expected: Record<string, string[]> = {};
    for (const right of Object.keys(ROLE_TABLE) as Right[]) {
      const attempt = binding[right];
      if (attempt === undefined || OWN_RIGHTS.includes(right)) continue;
      allowed[right] = [];
      expected[right] = [];
      for (const granted of GRANTED) {
        for (const role of ["observe", "approve"] as const) {
          const user = `${granted}-${role}-${right}`;
          const token = await stage.token(user, role);
          await stage.share({ user, role: granted });
          const lower = includesRole(role, granted) ? granted : role;
          if (includesRole(lower, ROLE_TABLE[right].role)) expected[right]?.push(user);
          if (!(await attempt(stage.ids, token))) allowed[right]?.push(user);
          await stage.unshare({ user });
        }
      }
    }

    expect(allowed).toEqual(expected);
    expect(stage.faults).toEqual([]);
  },
);

test("a guest finds a shared session and its tasks, and a stranger does not", async () => {
  await using stage = await openShared();
  const [bob, eve] = await Promise.all([stage.token("bob"), stage.token("eve")]);
  const { contextId, taskId } = stage.ids;

  const { grant } = await stage.share({ user: "bob", role: "prompt", ttl_seconds: 3600 });

  const shared = await stage.call(bob, "session/shared", {});
  const tasks = await stage.call(bob, "tasks/list", { contextId });
  const own = await stage.call(bob, "tasks/list", {});
  expect(shared.result.sessions).toMatchObject([
    { context_id: contextId, owner: "ada", role: "prompt", expires_at: grant.expires_at },
  ]);
  expect(tasks.result.tasks).toMatchObject([{ id: taskId }]);
  expect(own.result.tasks).toEqual([]);
  expect((await stage.call(eve, "session/shared", {})).result).toEqual({});
  expect((await stage.call(eve, "tasks/list", { contextId })).result.tasks).toEqual([]);
  for (const method of ["session/access", "session/share", "session/unshare"]) {
    const params = { context_id: contextId, user: "eve", role: "observe" };
    const foreign = await stage.call(eve, method, params);
    const unknown = await stage.call(eve, method, { ...params, context_id: "nope" });
    expect(JSON.stringify(foreign).replace(contextId, "nope")).toBe(JSON.stringify(unknown));
  }
});

test("a grant ends when it expires, and a new grant replaces it [TEAM-01]", async () => {
  await using stage = await openShared();
  const bob = await stage.token("bob");
  const get = async () => await stage.call(bob, "tasks/get", { id: stage.ids.taskId });
  await stage.share({ user: "bob", role: "observe", ttl_seconds: 60 });

  expect((await get()).result.id).toBe(stage.ids.taskId);
  stage.advance(60_000);

  expect((await get()).error.message).toContain("your access to this session has ended");
  await stage.share({ user: "bob", role: "approve" });
  await stage.share({ user: "bob", role: "observe" });
  const { result } = await stage.call(bob, "session/access", {
    context_id: stage.ids.contextId,
  });
  expect(result).toMatchObject({ owner: "ada", role: "observe", grants: [{ role: "observe" }] });
});

/** Reads a stream until it ends; resolves with its text. */
async function readAll(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of response.body ?? []) chunks.push(chunk as Uint8Array);
  } catch {
    // A stream may also be cut after its last event.
  }
  return Buffer.concat(chunks).toString();
}

test.for(["revoked", "expired"] as const)(
  "the streams of a guest end with the reason on every binding when the grant is %s [TEAM-01]",
  async (how) => {
    await using stage = await openShared();
    using grpc = openRawGrpc(stage.grpcAddress);
    const bob = await stage.token("bob");
    const { taskId: id, contextId } = stage.ids;
    await stage.share({ user: "bob", role: "observe", ttl_seconds: 60 });
    const headers = { authorization: `Bearer ${bob}` };
    const body = rpc("tasks/resubscribe", { id });
    const sse = await sendAs(stage.url, { token: bob, body });
    const rest = await sendAs(`${stage.url}v1/tasks/${id}:subscribe`, { token: bob });
    const call = grpc.stream("subscribeToTask", { id }, { headers });
    await readUntil(call, () => true);
    const failed = once(call, "error");
    const socket = new WebSocket(stage.wsUrl, ["dt.a2a.v1"], { headers });
    await once(socket, "open");
    const frames: string[] = [];
    const answered = new Promise<void>((resolve) => {
      socket.on("message", (data) => {
        frames.push(String(data));
        if (String(data).includes('"error"')) resolve();
      });
    });
    socket.send(JSON.stringify(rpc("session/subscribe", { context_id: contextId })));
    const kept = await sendAs(`${stage.url}v1/tasks/${id}:subscribe`, { token: stage.ada });

    if (how === "expired") stage.advance(60_000);
    else await stage.unshare({ user: "bob" });

    const reason = "your access to this session has ended";
    expect(await readAll(sse)).toContain(reason);
    expect(await readAll(rest)).toMatch(
      /event: error\ndata: .*your access to this session has ended/,
    );
    expect(await failed).toMatchObject([{ code: status.PERMISSION_DENIED }]);
    await answered;
    expect(frames.at(-1)).toContain(reason);
    // The socket itself stays open, because the user may have other sessions.
    expect(socket.readyState).toBe(WebSocket.OPEN);
    expect(kept.ok).toBe(true);
    socket.terminate();
    await kept.body?.cancel();
    expect(stage.faults).toEqual([]);
  },
);

test("everybody who has a link can join with its role until the link is withdrawn [TEAM-01]", async () => {
  await using stage = await openShared();
  const [bob, eve] = await Promise.all([stage.token("bob"), stage.token("eve", "observe")]);
  const { contextId, taskId: id } = stage.ids;
  const { grant, link } = await stage.share({ role: "approve" });
  stage.advance(1_000);

  const joined = await stage.call(bob, "session/join", { link });
  const again = await stage.call(bob, "session/join", { link });
  stage.advance(1_000);
  const observer = await stage.call(eve, "session/join", { link });
  const { result } = await stage.call(stage.ada, "session/access", { context_id: contextId });

  expect(link).toMatch(/^dtl_[0-9a-f]{16}_[\w-]{43}$/);
  expect(joined.result).toMatchObject({ context_id: contextId, owner: "ada", role: "approve" });
  expect(again.result).toEqual(joined.result);
  expect(observer.result.role).toBe("observe");
  expect(
    result.grants.map(({ user, link_id }: { user?: string; link_id?: string }) => [user, link_id]),
  ).toEqual([
    [undefined, undefined],
    ["bob", grant.grant_id],
    ["eve", grant.grant_id],
  ]);
  expect(JSON.stringify(result)).not.toContain(link.split("_")[2]);
  expect(await stage.unshare({ grant_id: grant.grant_id })).toEqual({ ended: 3 });
  expect((await stage.call(bob, "tasks/get", { id })).error.message).toContain("has ended");
  expect((await stage.call(bob, "session/join", { link })).error.message).toContain("is not valid");
});

test.for([
  [
    "a link with another secret",
    (link: string) => link.replace(/.$/, link.endsWith("A") ? "B" : "A"),
  ],
  ["an unknown link", () => `dtl_0123456789abcdef_${"x".repeat(43)}`],
  ["a text that is no link", () => "secret"],
] as const)("%s admits nobody", async ([, change]) => {
  await using stage = await openShared();
  const bob = await stage.token("bob");
  const { link } = await stage.share({ role: "observe" });

  const { error } = await stage.call(bob, "session/join", { link: change(link) });

  expect(error.message).toContain("the link is not valid");
  expect((await stage.call(bob, "session/shared", {})).result).toEqual({});
});

test("only the owner can share a session, with at most the owner's own role [TEAM-01]", async () => {
  await using stage = await openShared();
  const [prompter, bob] = await Promise.all([
    stage.token("ada", "prompt", { name: "phone" }),
    stage.token("bob"),
  ]);
  const params = { context_id: stage.ids.contextId, user: "eve", role: "observe" };
  await stage.share({ user: "bob", role: "approve" });
  const errorOf = async (token: string, fields: object) =>
    (await stage.call(token, "session/share", { ...params, ...fields })).error.message;

  expect(await errorOf(prompter, {})).toContain("needs the role approve");
  expect(await errorOf(bob, {})).toContain("only ada, who owns the session, can share it");
  expect(await errorOf(stage.ada, { role: "admin" })).toContain(
    "expected one of observe, prompt, approve",
  );
  expect(await errorOf(stage.ada, { user: "ada" })).toContain("this session is yours already");
  expect(await errorOf(stage.ada, { ttl_seconds: 1 })).toContain("ttl_seconds: expected a number");
  expect(await errorOf(stage.ada, { ttl_seconds: 91 * 86_400 })).toContain("ttl_seconds");
});

test("REST has routes to share, join, list and unshare sessions, in both versions of A2A", async () => {
  await using stage = await openShared();
  const bob = await stage.token("bob");
  for (const base of ["v1", "v0.3/v1"]) {
    const path = `${stage.url}${base}/sessions/${stage.ids.contextId}`;
    const shared = await sendAs(`${path}/grants`, { token: stage.ada, body: { role: "observe" } });
    const { grant, link } = await shared.json();
    const joined = await sendAs(`${stage.url}${base}/sessions:join`, {
      token: bob,
      body: { link },
    });
    const list = await sendAs(`${stage.url}${base}/sessions:shared`, { token: bob });
    const access = await sendAs(`${path}/access`, { token: bob });
    const ended = await sendAs(`${path}/grants/${grant.grant_id}`, {
      token: stage.ada,
      method: "DELETE",
    });

    expect((await joined.json()).context_id).toBe(stage.ids.contextId);
    expect((await list.json()).sessions).toHaveLength(1);
    expect((await access.json()).role).toBe("observe");
    expect(await ended.json()).toEqual({ ended: 2 });
    expect((await sendAs(`${path}/access`, { token: bob })).status).toBe(403);
  }
});

test("a guest can see and change only the guest's own push configs, not the owner's", async () => {
  await using stage = await openShared();
  const bob = await stage.token("bob");
  await stage.share({ user: "bob", role: "prompt" });
  const { taskId } = stage.ids;
  const set = (token: string, url: string) =>
    stage.call(token, "tasks/pushNotificationConfig/set", {
      taskId,
      pushNotificationConfig: { id: "p", url, token: "secret" },
    });
  const list = async (token: string) =>
    (await stage.call(token, "tasks/pushNotificationConfig/list", { id: taskId })).result.map(
      ({
        pushNotificationConfig: { id, url },
      }: {
        pushNotificationConfig: { id: string; url: string };
      }) => [id, url],
    );

  await set(stage.ada, "https://ada.example/");
  await set(bob, "https://bob.example/");

  expect(await list(stage.ada)).toEqual([["p", "https://ada.example/"]]);
  expect(await list(bob)).toEqual([["p", "https://bob.example/"]]);
  await stage.call(bob, "tasks/pushNotificationConfig/delete", {
    id: taskId,
    pushNotificationConfigId: "p",
  });
  expect([await list(stage.ada), await list(bob)]).toEqual([[["p", "https://ada.example/"]], []]);
});
