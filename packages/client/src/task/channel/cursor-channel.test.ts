import { getEventListeners } from "node:events";
import { DEFAULT_EXTENSION_URIS, emptyTaskView, ProtocolError, type TaskView } from "@dt/schema";
import { buildEvent } from "@dt/schema/testing";
import { spellings } from "@dt/schema/wire";
import { expect, test } from "vitest";
import { TransportError } from "../../errors/transport-error.js";
import { eventFrame, taskFrame } from "../../testing/fake-frames.js";
import type { Transport } from "../../transport/transport.js";
import {
  type ConversationScript,
  openConversation,
} from "../scripted-conversation.test-support.js";
import { createCursorChannel } from "./cursor-channel.js";

const activation = { uris: DEFAULT_EXTENSION_URIS, session: true, developmentTool: true };
const dialect = { spelling: spellings["1.0"], activation };
const origin = { principal: "local", name: "me" };
const closed = () => new TransportError("closed", "cut");
const said = (text: string, cursor: string) =>
  eventFrame(buildEvent({ kind: "TEXT_CONTENT", text }, { cursor }), dialect, false).result;
const became = (state: TaskView["state"]) =>
  eventFrame(buildEvent({ kind: "STATE_CHANGE" }, { state }), dialect, false).result;
const taskIn = (state: TaskView["state"]) =>
  taskFrame({ ...emptyTaskView("task-1", "context-1"), state }, dialect).result;

function openChannel(script: ConversationScript) {
  const { conversation, ...rest } = openConversation(script);
  return { channel: createCursorChannel({ ...conversation, origin }), ...rest };
}

async function follow({ channel }: ReturnType<typeof openChannel>, count: number) {
  const { signal } = new AbortController();
  const texts: string[] = [];
  for await (const event of channel.followSession("c", "1", { signal, untilIdle: true })) {
    if (event.kind === "TEXT_CONTENT") texts.push(event.text);
    if (texts.length === count) break;
  }
  return texts;
}

test("followSession() starts after its cursor; after a break, it starts after the last event", async () => {
  const streams = [
    [said("a", "2"), said("b", "3")],
    [taskIn("working"), said("c", "4")],
  ];
  const opened = openChannel({ stream: () => streams.shift() ?? [] });

  expect(await follow(opened, 3)).toEqual(["a", "b", "c"]);

  expect(opened.seen.map(({ after }) => after)).toEqual(["1", "3"]);
  expect(opened.seen[0]?.params).toEqual({ context_id: "c", until_rest: true });
});

test("attempts are counted from 1, and again from 1 after an event", async () => {
  let opened = 0;
  const { pauses, ...stage } = openChannel({
    *stream() {
      opened += 1;
      if (opened === 3) yield said("a", "2");
      if (opened === 5) yield said("b", "3");
      throw closed();
    },
  });

  expect(await follow({ pauses, ...stage }, 2)).toEqual(["a", "b"]);

  expect(pauses).toEqual([1, 2, 1, 2]);
});

test("a client that read too slowly continues without a pause", async () => {
  let opened = 0;
  const { pauses, ...stage } = openChannel({
    *stream() {
      opened += 1;
      if (opened === 1) throw new TransportError("lagged", "slow");
      yield said("a", "2");
    },
  });

  expect(await follow({ pauses, ...stage }, 1)).toEqual(["a"]);
  expect(pauses).toEqual([]);
});

test("an internal error of the agent is retried five times", async () => {
  const fault = new ProtocolError("internal", "broken");
  const stage = openChannel({
    maxAttempts: 99,
    stream: () => {
      throw fault;
    },
  });
  const reasons: unknown[] = [];
  stage.monitor.onChange((state) => {
    if (state.status === "reconnecting") reasons.push(state.reason);
  });

  await expect(follow(stage, 1)).rejects.toBe(fault);

  expect(stage.seen).toHaveLength(6);
  expect(reasons.map((reason) => (reason as Error).cause)).toEqual(Array(5).fill(fault));
});

test("send() also reads the second frame for a prompt to an idle task, but not for an answer", async () => {
  const idleTask = () => [taskIn("input-required"), said("later", "5"), said("never read", "6")];
  const { channel } = openChannel({ stream: idleTask });
  const parts = [{ type: "text", text: "go" }] as const;

  const prompted = await channel.send({ type: "prompt", parts }, { taskId: "task-1" });
  const answered = await channel.send({ type: "confirmation", confirmations: [] }, {});

  expect(prompted.items).toMatchObject([
    { event: { text: "later" } },
    { event: { kind: "USER_PROMPT", parts, origin } },
  ]);
  expect(prompted.state).toBe("working");
  expect(answered).toMatchObject({ state: "input-required", items: [] });
});

test.each([
  ["to a working task", [taskIn("working"), said("never read", "5")], "working"],
  ["whose turn has ended", [became("input-required"), said("never read", "5")], "input-required"],
  ["to an idle task that sends no update", [taskIn("input-required")], "input-required"],
] as const)("send() of a prompt %s resolves with the first frame", async (_, frames, state) => {
  const { channel } = openChannel({ stream: () => frames });

  const view = await channel.send({ type: "prompt", parts: [] }, {});

  expect(view).toMatchObject({ taskId: "task-1", contextId: "context-1", state });
  expect(view.items.map(({ event }) => event.kind)).toEqual(["USER_PROMPT"]);
});

test("the view of a sent message has the cursor of its frame", async () => {
  const { conversation } = openConversation({});
  const transport: Transport = {
    ...conversation.transport,
    async *stream() {
      yield { result: taskIn("working"), cursor: "7" };
    },
  };
  const channel = createCursorChannel({ ...conversation, transport, origin });

  const view = await channel.send({ type: "confirmation", confirmations: [] }, {});

  expect(view.cursor).toBe("7");
});

test("an open stream of a session is reported as connected, before any event", async () => {
  let opened = 0;
  const stage = openChannel({
    async *stream({ signal }) {
      opened += 1;
      if (opened === 1) throw closed();
      if (signal?.aborted !== true)
        await new Promise((resolve) => signal?.addEventListener("abort", resolve));
      yield* [];
    },
  });
  const states: string[] = [];
  const leaving = new AbortController();
  stage.monitor.onChange(({ status }) => {
    states.push(status);
    if (status === "connected") leaving.abort(new Error("enough"));
  });

  // The loop ends quietly when it is aborted.
  const options = { signal: leaving.signal, untilIdle: false };
  for await (const _ of stage.channel.followSession("c", "1", options));

  expect(states).toEqual(["reconnecting", "connected"]);
  expect(getEventListeners(stage.closing.signal, "abort")).toEqual([]);
});

test("an unreadable frame is refused with the path of the fault", async () => {
  const stage = openChannel({ stream: () => [5] });

  await expect(follow(stage, 1)).rejects.toThrow(/^result: /);
  await expect(stage.channel.send({ type: "prompt", parts: [] }, {})).rejects.toThrow(/^result: /);
});

test("a message is sent again with the same id until the agent accepts it", async () => {
  let attempts = 0;
  const { channel, seen } = openChannel({
    *stream() {
      attempts += 1;
      if (attempts === 1) throw closed();
      if (attempts > 2) yield taskIn("working");
    },
  });

  const view = await channel.send({ type: "prompt", parts: [{ type: "text", text: "go" }] }, {});

  const ids = seen.map(({ params }) => (params.message as { messageId: string }).messageId);
  expect(view).toMatchObject({ taskId: "task-1", items: [{ event: { messageId: ids[0] } }] });
  expect(new Set(ids).size).toBe(1);
  expect(ids).toHaveLength(3);
});

test.each(["send", "get", "cancel", "follow"] as const)(
  "a signal aborts a method of the channel: %s",
  async (name) => {
    let resolve = () => {};
    const called = new Promise<void>((done) => {
      resolve = done;
    });
    const waits = ({ signal }: { readonly signal: AbortSignal | undefined }) => {
      resolve();
      return new Promise<never>((_, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason));
      });
    };
    const { channel, seen } = openChannel({
      call: waits,
      // biome-ignore lint/correctness/useYield: this stream never yields.
      async *stream(request) {
        await waits(request);
      },
    });
    const abort = new AbortController();
    const { signal } = abort;
    const calls = {
      send: () => channel.send({ type: "confirmation", confirmations: [] }, {}, signal),
      get: () => channel.get("t", signal),
      cancel: () => channel.cancel("t", signal),
      follow: async () => {
        for await (const _ of channel.followSession("c", "1", { signal, untilIdle: false }));
        throw signal.reason;
      },
    };
    const running = calls[name]();
    await called;

    abort.abort(new Error("enough"));

    expect(seen.map((request) => request.signal?.aborted)).toEqual([true]);
    await expect(running).rejects.toThrow("enough");
  },
);
