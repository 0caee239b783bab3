import { mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Caller } from "@dt/schema";
import { type SessionEvent, type TaskState, textOf } from "@dt/schema";
import { buildQuestion } from "@dt/schema/testing";
import { expect, test } from "vitest";
import { openMemoryStore } from "../store/memory/open-memory-store.js";
import type { SessionStore } from "../store/session-store.js";
import { createScriptedAgent } from "../testing/fake-agent.js";
import { openLiveSession } from "./open-live-session.js";

const terminal: Caller = { user: "terminal", name: "terminal", role: "admin" };
const settings = { workspacePath: "/work", allowedTools: [], mcpServers: {} };

const openAgent = createScriptedAgent(async (turn) => {
  if (turn.text === "ask") await turn.ask(buildQuestion());
  if (turn.text === "fail") throw new Error("no");
  await turn.say(`echo ${turn.text}`);
});

async function openLive(store: SessionStore = openMemoryStore(), contextId?: string) {
  const live = await openLiveSession({
    store,
    openAgent,
    settings,
    ...(contextId !== undefined && { contextId }),
  });
  const seen: SessionEvent[] = [];
  const type = (text: string) =>
    live.agent.prompt(
      { messageId: text, taskId: live.taskId, parts: [{ type: "text", text }] },
      terminal,
    );
  /** Reads events until one matches. */
  const until = async (fits: (event: SessionEvent) => boolean, after?: string) => {
    for await (const batch of live.events(after === undefined ? {} : { after })) {
      seen.push(...batch);
      if (batch.some(fits)) return;
    }
  };
  return { live, seen, type, until };
}

const isIdle = (event: SessionEvent) =>
  event.kind === "STATE_CHANGE" && event.state === "input-required";

test("the open task exists before the first prompt and stays open between turns [CLI-10]", async () => {
  const { live, type, until, seen } = await openLive();
  const { state, cursor } = await live.view();
  await type("one");
  await until(isIdle, cursor);
  await type("fail");
  await until((event) => event.error !== undefined || isIdle(event), seen.at(-1)?.cursor);

  expect(state).toBe("input-required");
  expect(live.taskId).toBe(live.contextId);
  expect(new Set(seen.map(({ taskId }) => taskId))).toEqual(new Set([live.taskId]));
  expect((await live.view()).state).toBe("input-required");
  await live.close();
});

test("closing a session completes its task and ends all subscriptions", async () => {
  const { live, type } = await openLive();
  await type("one");
  const states: TaskState[] = [];
  const watching = (async () => {
    for await (const batch of live.events({})) states.push(...batch.map(({ state }) => state));
  })();

  await live.close();
  await watching;

  expect(states.slice(0, 3)).toEqual(["submitted", "working", "input-required"]);
  expect(states.at(-1)).toBe("completed");
  await expect(type("late")).rejects.toThrow("the session is closed");
});

test("a resumed session has the history and the ids of the closed session", async () => {
  const store = openMemoryStore();
  const first = await openLive(store);
  await first.type("one");
  await first.until(isIdle, (await first.live.view()).cursor);
  await first.live.close();

  const second = await openLive(store, first.live.contextId);

  expect(second.live.taskId).toBe(first.live.taskId);
  const { items } = await second.live.view();
  expect(items.map(({ event }) => "parts" in event && textOf(event.parts))).toContain("one");
  const events = await second.live.readEvents({ limit: 4 });
  expect(events.map(({ kind }) => kind)).toEqual([
    "STATE_CHANGE",
    "STATE_CHANGE",
    "STATE_CHANGE",
    "USER_PROMPT",
  ]);
  const [next] = await second.live.readEvents({ after: events.at(-1)?.cursor ?? "", limit: 1 });
  expect(next?.kind).toBe("STATE_CHANGE");
  await second.live.close();
});

test("a closed session is listed if it had a prompt, and deleted if it had none", async () => {
  const store = openMemoryStore();
  const unused = await openLive(store);
  await unused.live.close();
  const used = await openLive(store);
  await used.type("hello there");
  await used.live.close();

  const listed = await store.listSessions({ owner: "terminal", limit: 9 });

  expect(listed.map(({ contextId, lastPrompt }) => [contextId, lastPrompt])).toEqual([
    [used.live.contextId, "hello there"],
  ]);
  expect(await store.findSession(unused.live.contextId)).toBeUndefined();
});

test("a store that two sessions share stays open when one of them closes", async () => {
  const store = openMemoryStore();
  const [one, two] = [await openLive(store), await openLive(store)];
  await one.type("one");
  await one.live.close();

  await two.type("two");
  await two.until(isIdle, (await two.live.view()).cursor);
  await two.live.close();

  const listed = await store.listSessions({ owner: "terminal", limit: 9 });
  expect(listed.map(({ lastPrompt }) => lastPrompt).sort()).toEqual(["one", "two"]);
});

test("a session that does not exist cannot be resumed", async () => {
  await expect(openLive(openMemoryStore(), "nope")).rejects.toThrow("there is no session nope");
});

test("a live session stays usable after a failed commit, because it is opened again", async () => {
  const kept = openMemoryStore();
  let isBroken = false;
  const store: SessionStore = {
    ...kept,
    async commit(commits) {
      if (isBroken) throw new Error("no space left");
      return await kept.commit(commits);
    },
  };
  const faults: unknown[] = [];
  const live = await openLiveSession({
    store,
    openAgent,
    settings,
    onFault: (f) => faults.push(f),
  });
  const say = (text: string) =>
    live.agent.prompt(
      { messageId: text, taskId: live.taskId, parts: [{ type: "text", text }] },
      terminal,
    );
  const texts: string[] = [];
  const watching = (async () => {
    for await (const batch of live.events({})) {
      texts.push(...batch.flatMap((event) => (event.kind === "TEXT_CONTENT" ? [event.text] : [])));
      if (texts.includes("echo after") && batch.some(isIdle)) return;
    }
  })();
  const { cursor } = await live.view();
  await say("before");
  for await (const batch of live.events({ after: cursor ?? "" })) if (batch.some(isIdle)) break;

  isBroken = true;
  await expect(say("lost")).rejects.toThrow("could not be stored");
  isBroken = false;
  await say("after");
  await watching;

  expect(texts).toEqual(["echo before", "echo after"]);
  expect(faults.length).toBeGreaterThan(0);
  expect((await live.view()).state).toBe("input-required");
  await live.close();
});

test("a session whose workspace is a link works in the real directory", async () => {
  await using temp = await openTempLink();
  const live = await openLiveSession({
    store: openMemoryStore(),
    openAgent,
    settings: { ...settings, workspacePath: temp.link },
  });

  expect(live.session.settings.workspacePath).toBe(temp.target);
  await live.close();
});

test("a session can be resumed only by its owner, and only after it was closed", async () => {
  const store = openMemoryStore();
  const { live, type, until } = await openLive(store);
  await type("one");
  await until(isIdle);
  const { contextId } = live;

  await expect(openLive(store, contextId)).rejects.toThrow(
    `the session ${contextId} is open already`,
  );
  await live.close();
  const broken = openLiveSession({
    store,
    settings,
    contextId,
    owner: "someone else",
    openAgent,
  });
  await expect(broken).rejects.toThrow(`there is no session ${contextId}`);
  const again = await openLive(store, contextId);

  expect(again.live).toMatchObject({ contextId, taskId: contextId });
  expect(again.live.session).toMatchObject({ owner: "terminal", settings });
  await again.live.close();
});

test("a closed session refuses requests, and may be closed twice", async () => {
  const { live, type } = await openLive();

  const closings = [live.close(), live.close()];
  await Promise.all(closings);

  expect(closings[0]).toBe(closings[1]);
  await expect(type("late")).rejects.toMatchObject({
    code: "agent-busy",
    message: "the session is closed",
  });
  await expect(live.view()).rejects.toThrow("the session is closed");
});

test("the events of a session can be read page by page", async () => {
  const { live, type, until, seen } = await openLive();
  await type("one");
  await until((event) => isIdle(event) && seen.some(({ kind }) => kind === "TEXT_CONTENT"));

  const pages: SessionEvent[][] = [];
  for (let page = await live.readEvents({ limit: 2 }); page.length > 0; ) {
    pages.push([...page]);
    const { cursor = "" } = page.at(-1) ?? {};
    page = await live.readEvents({ after: cursor, limit: 2 });
  }

  expect(pages.map(({ length }) => length).slice(0, -1)).toEqual(pages.slice(0, -1).map(() => 2));
  const strip = ({ kind, cursor, taskId, contextId, state }: SessionEvent) => ({
    kind,
    cursor,
    taskId,
    contextId,
    state,
  });
  expect(pages.flat().map(strip)).toEqual(seen.map(strip));
  await live.close();
});

test("a subscription ends when its signal aborts, and a cursor of another session is refused", async () => {
  const { live } = await openLive();
  const leaving = new AbortController();
  const watching = (async () => {
    for await (const _ of live.events({ signal: leaving.signal })) leaving.abort();
    return "left";
  })();

  expect(await watching).toBe("left");
  const foreign = live.events({ after: "3.another" })[Symbol.asyncIterator]();
  await expect(foreign.next()).rejects.toMatchObject({ code: "cursor-not-found" });
  await expect(live.readEvents({ after: "3.another", limit: 1 })).rejects.toMatchObject({
    code: "cursor-not-found",
  });
  await live.close();
});

test("without authentication, a session is served only on loopback, until it or its server closes [SEC-02]", async () => {
  const { live } = await openLive();
  await expect(live.serve({ host: "0.0.0.0" })).rejects.toThrow("needs authentication");
  const [first, second] = [await live.serve({ port: 0 }), await live.serve({ port: 0 })];
  const isUp = async ({ url }: { readonly url: string }) =>
    await fetch(new URL("/health", url)).then(
      ({ ok }) => ok,
      () => false,
    );

  const both = [await isUp(first), await isUp(second)];
  await first.close();
  const one = [await isUp(first), await isUp(second)];
  const { state } = await live.view();
  await live.close();

  expect([both, one, state]).toEqual([[true, true], [false, true], "input-required"]);
  expect(await isUp(second)).toBe(false);
});

/** Creates a logger that records its lines. */
function recordLines() {
  const lines: [string, object][] = [];
  const note = (fields: object, text: string) => void lines.push([text, fields]);
  return { lines, logger: { debug: note, info: note, warn: note, error: note } };
}

test("a server has stopped when its close() or the close() of its session resolves", async () => {
  const { live } = await openLive();
  const [one, two] = [recordLines(), recordLines()];
  const first = await live.serve({ port: 0, logger: one.logger });
  await live.serve({ port: 0, logger: two.logger });

  await first.close({ graceMs: 5 });
  const ofFirst = one.lines.map(([text]) => text);
  await live.close();

  expect(ofFirst).toEqual(["listening", "stopping", "stopped"]);
  expect(one.lines[1]?.[1]).toMatchObject({ graceMs: 5 });
  expect(two.lines.map(([text]) => text)).toEqual(["listening", "stopping", "stopped"]);
});

/** Calls a method of a served session. */
async function call(url: string, method: string, params: object): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return await response.json();
}

test("a client uses the open task of a served session, and push configs only if push is on", async () => {
  const { live } = await openLive();
  const [first, second] = [
    await live.serve({ port: 0 }),
    await live.serve({ port: 0, push: false }),
  ];
  const parts = [{ kind: "text", text: "hi" }];
  const message = { kind: "message", role: "user", messageId: "m", parts };
  const list = ({ url }: { readonly url: string }) =>
    call(url, "tasks/pushNotificationConfig/list", { id: live.taskId });

  const sent = await call(first.url, "message/send", { message });

  expect(sent).toMatchObject({ result: { id: live.taskId, contextId: live.contextId } });
  expect((await live.view()).items).toContainEqual(
    expect.objectContaining({ event: expect.objectContaining({ text: "echo hi" }) }),
  );
  expect(await list(first)).toMatchObject({ result: [] });
  expect(await list(second)).toMatchObject({ error: { code: -32003 } });
  await live.close();
});

test("a live session uses the limits and the clock of its options", async () => {
  const options = { store: openMemoryStore(), openAgent, settings };

  await expect(
    openLiveSession({ ...options, limits: { maxTurns: 0, maxWaitingPrompts: 0 } }),
  ).rejects.toMatchObject({ code: "agent-busy" });
  const live = await openLiveSession({ ...options, now: () => new Date(0) });

  expect(live.session.createdAt).toBe("1970-01-01T00:00:00.000Z");
  await live.close();
});

test("a session closes even if the store fails, and the fault is reported", async () => {
  const kept = openMemoryStore();
  const faults: unknown[] = [];
  const disk = { isGone: false };
  const store: SessionStore = {
    ...kept,
    async findSession(contextId) {
      if (disk.isGone) throw new Error("the disk is gone");
      return await kept.findSession(contextId);
    },
  };
  const live = await openLiveSession({
    store,
    openAgent,
    settings,
    onFault: (reason) => faults.push(reason),
  });

  disk.isGone = true;
  await live.close();

  expect(faults).toMatchObject([{ message: "the disk is gone" }]);
  expect(await kept.findSession(live.contextId)).toBeDefined();
});

async function openTempLink() {
  const directory = await realpath(await mkdtemp(path.join(tmpdir(), "dt-link-")));
  const [link, target] = [path.join(directory, "link"), path.join(directory, "target")];
  await mkdir(target);
  await symlink(target, link);
  return {
    link,
    target,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

test("the events of a live session reach its onEvent with their cursors", async () => {
  const store = openMemoryStore();
  const events: SessionEvent[] = [];
  const live = await openLiveSession({
    store,
    openAgent,
    settings,
    onEvent: (event) => events.push(event),
  });
  await live.agent.prompt(
    { messageId: "m", taskId: live.taskId, parts: [{ type: "text", text: "hi" }] },
    terminal,
  );
  await expect.poll(() => events.some(({ kind }) => kind === "TEXT_CONTENT")).toBe(true);
  await live.close();

  const stored = await store.readEvents({ contextId: live.contextId, after: 0, limit: 99 });
  expect(events.map(({ kind, cursor }) => [kind, cursor?.split(".").slice(0, 2)])).toEqual(
    stored.map(({ event, position, epoch }) => [event.kind, [`${position}`, `${epoch}`]]),
  );
});
